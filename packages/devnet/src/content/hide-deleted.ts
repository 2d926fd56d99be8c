import { CID } from "multiformats/cid";
import { Refusal } from "../http/json.ts";
import type { Ledger } from "./ledger.ts";
import { toBlockKey } from "./store.ts";
import { type ReadBlock, walkTree } from "./tree.ts";

/**
 * Reads blocks, but not those of deleted records, except those that other records contain. What was never in a record is
 * read; so is what is stored again.
 *
 * @throws Refusal 404 for a block that is missing or hidden
 */
export function hideDeleted(readBlock: ReadBlock, ledger: Ledger): ReadBlock {
  const trees = new Map<string, Promise<ReadonlySet<string>>>();

  async function isInAny(roots: Iterable<string>, block: string): Promise<boolean> {
    for (const root of roots) {
      const tree = trees.get(root) ?? listTree(readBlock, CID.parse(root));
      trees.set(root, tree);
      if ((await tree).has(block)) return true;
    }
    return false;
  }

  return async (cid) => {
    const block = toBlockKey(cid);
    const isHidden = (await isInAny(ledger.listDeletedRoots(), block)) && !(await isInAny(ledger.listRoots(), block));
    if (isHidden) throw new Refusal(404, `Block ${cid} was not found`);
    return readBlock(cid);
  };
}

async function listTree(readBlock: ReadBlock, root: CID): Promise<ReadonlySet<string>> {
  const keys = new Set([toBlockKey(root)]);
  try {
    for await (const { cid } of walkTree(readBlock, root, { scope: "all" })) keys.add(toBlockKey(cid));
  } catch {
    // What cannot be read of a tree hides nothing else.
  }
  return keys;
}
