import { CID } from "multiformats/cid";
import { toBlockKey } from "../car/read-car.ts";
import type { BlockStore } from "./block-store.ts";
import type { Ledger } from "./ledger.ts";
import type { ContentStore } from "./store.ts";
import { createTreeWalker } from "./walk-tree.ts";

/** Stored content, as files and folders and as blocks. */
interface StoredContent {
  content: ContentStore;
  blocks: BlockStore;
}

/**
 * Creates a view of the stored content without the blocks of deleted records, except those that other records contain.
 * What was never in a record is served; so is what is stored again.
 */
export function forgetDeleted({ content, blocks }: StoredContent, ledger: Ledger): StoredContent {
  const trees = new Map<string, Promise<ReadonlySet<string>>>();

  function findTree(cid: string): Promise<ReadonlySet<string>> {
    const known = trees.get(cid);
    if (known !== undefined) return known;
    const tree = readTree(blocks, CID.parse(cid));
    trees.set(cid, tree);
    return tree;
  }

  async function isInAny(cids: Iterable<string>, block: string): Promise<boolean> {
    for (const cid of cids) if ((await findTree(cid)).has(block)) return true;
    return false;
  }

  async function isDeleted(cid: CID): Promise<boolean> {
    const block = toBlockKey(cid);
    const { stored, deleted } = ledger.listRoots();
    return (await isInAny(deleted, block)) && !(await isInAny(stored, block));
  }

  return {
    content: {
      ...content,
      file: async (key) => ((await isDeleted(CID.parse(key))) ? undefined : content.file(key)),
      folder: async (key) => ((await isDeleted(CID.parse(key))) ? undefined : content.folder(key)),
    },
    blocks: { get: async (cid) => ((await isDeleted(cid)) ? undefined : blocks.get(cid)) },
  };
}

/** Returns the blocks of a tree; those below a block that is not stored are unknown. */
async function readTree(blocks: BlockStore, root: CID): Promise<ReadonlySet<string>> {
  const keys = new Set<string>([toBlockKey(root)]);
  const readBlock = async (cid: CID) => {
    const bytes = await blocks.get(cid);
    if (!bytes) throw new Error(`Block ${cid} is not stored`);
    return bytes;
  };
  try {
    for await (const { cid } of createTreeWalker(readBlock).walk(root, "all")) keys.add(toBlockKey(cid));
  } catch {
    // an archive may contain a part of a tree only
  }
  return keys;
}
