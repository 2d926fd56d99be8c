import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import * as dagPb from "@ipld/dag-pb";
import { UnixFS } from "ipfs-unixfs";
import { CID } from "multiformats/cid";
import * as raw from "multiformats/codecs/raw";
import { identity } from "multiformats/hashes/identity";
import { type BlockLocation, readCar, toBlockKey } from "./car.ts";
import type { Ledger } from "./ledger.ts";
import type { ContentStore } from "./store.ts";
import { createTreeWalker, decodeNode, type TreeNode } from "./tree.ts";

/** Maximum bytes of a file that may be one wrapped block. */
const MAX_WRAPPED_BYTES = 2 * 1024 * 1024;

export type BlockStore = ReturnType<typeof createBlockStore>;

/**
 * Creates a view of the stored content as blocks. Leaves are read from the stored files. Tree files are indexed when a
 * block is requested that is in none of those before.
 */
export function createBlockStore(content: ContentStore) {
  const nodes = new Map<string, BlockLocation & { path: string }>();
  const leaves = new Map<string, LeafLocation>();
  const indexed = new Set<string>();
  let indexing = Promise.resolve();

  /** Also finds uploads of other devnets with the same folder. */
  function indexNewTrees(): Promise<void> {
    indexing = indexing
      .catch(() => {})
      .then(async () => {
        for (const { name, path } of await content.listTrees()) {
          if (indexed.has(name)) continue;
          const tree = await indexTree(path);
          for (const [key, location] of tree.nodes) nodes.set(key, { ...location, path });
          for (const [key, location] of tree.leaves) leaves.set(key, location);
          indexed.add(name);
        }
      });
    return indexing;
  }

  async function readIndexed(cid: CID): Promise<Uint8Array | undefined> {
    const key = toBlockKey(cid);
    const node = nodes.get(key);
    if (node) return readPart(node.path, node);
    const leaf = leaves.get(key);
    const file = leaf && (await content.file(leaf.file));
    if (!file) return undefined;
    const bytes = await readPart(file.path, leaf);
    return leaf.isWrapped ? wrap(bytes) : bytes;
  }

  /** Reads a block that is a whole file. */
  async function readFile(code: number, { multihash }: CID): Promise<Uint8Array | undefined> {
    const file = await content.file(CID.createV1(code, multihash).toString());
    if (!file || (code === dagPb.code && file.size > MAX_WRAPPED_BYTES)) return undefined;
    const bytes = await readPart(file.path, { offset: 0, length: file.size });
    return code === dagPb.code ? wrap(bytes) : bytes;
  }

  return {
    /** Returns the block of a content id, of either version and any codec; `undefined` if there is none. */
    async get(cid: CID): Promise<Uint8Array | undefined> {
      if (cid.multihash.code === identity.code) return cid.multihash.digest;
      const found = (await readIndexed(cid)) ?? (await readFile(raw.code, cid));
      if (found) return found;
      await indexNewTrees();
      return (await readIndexed(cid)) ?? (await readFile(dagPb.code, cid));
    },
  };
}

async function readPart(path: string, { offset, length }: { offset: number; length: number }): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const bytes = Buffer.allocUnsafe(length);
    const { bytesRead } = await file.read(bytes, 0, length, offset);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Encodes a leaf as the importer does for content ids of version 0. */
function wrap(data: Uint8Array): Uint8Array {
  return dagPb.encode({ Data: new UnixFS({ type: "file", data }).marshal(), Links: [] });
}

/** A leaf as part of a stored file. */
interface LeafLocation {
  /** Content key of the file. */
  file: string;
  offset: number;
  length: number;
  /** Whether the block is these bytes wrapped in dag-pb, not the bytes themselves. */
  isWrapped: boolean;
}

/**
 * Reads a tree file, and finds out from its nodes which part of its files each leaf is. Returns the blocks of the upload
 * by {@link toBlockKey}: those in the tree file, and all others.
 */
async function indexTree(path: string) {
  const { blocks } = await readCar(createReadStream(path));
  const decoded = await decodeFileNodes(path, blocks);
  const leaves = new Map<string, LeafLocation>();
  const visited = new Set<string>();

  function place(node: TreeNode, file: string, start: number): void {
    let offset = start + node.ownBytes;
    for (const { cid, size } of node.links) {
      const key = toBlockKey(cid);
      if (!visited.has(key)) {
        visited.add(key);
        const below = decoded.get(key)?.node ?? decodeInline(cid);
        if (below) place(below, file, offset);
        // any other block that the tree file has
        else if (!blocks.has(key)) {
          leaves.set(key, { file, offset, length: size, isWrapped: cid.code === dagPb.code });
        }
      }
      offset += size;
    }
  }

  const linked = new Set([...decoded.values()].flatMap(({ node }) => node.links.map(({ cid }) => toBlockKey(cid))));
  for (const [key, { cid, node }] of decoded) {
    // no file node links to it, so that it is the root of a stored file
    if (!linked.has(key)) place(node, cid.toV1().toString(), 0);
  }
  return { nodes: blocks, leaves };
}

/** Returns the file nodes with links. */
async function decodeFileNodes(path: string, blocks: ReadonlyMap<string, BlockLocation>) {
  const decoded = new Map<string, { cid: CID; node: TreeNode }>();
  const file = await open(path);
  try {
    for (const [key, { cid, offset, length }] of blocks) {
      if (cid.code !== dagPb.code) continue;
      const { buffer } = await file.read(new Uint8Array(length), 0, length, offset);
      const node = decodeNode({ cid, bytes: buffer });
      if (node.kind === "file" && node.links.length > 0) decoded.set(key, { cid, node });
    }
  } finally {
    await file.close();
  }
  return decoded;
}

function decodeInline(cid: CID): TreeNode | undefined {
  if (cid.multihash.code !== identity.code) return undefined;
  return decodeNode({ cid, bytes: cid.multihash.digest });
}

/**
 * Creates a view of the stored content without the blocks of deleted records, except those that other records contain.
 * What was never in a record is served; so is what is stored again.
 */
export function forgetDeleted(content: ContentStore, blocks: BlockStore, ledger: Ledger) {
  const trees = new Map<string, Promise<ReadonlySet<string>>>();

  function findTree(cid: string): Promise<ReadonlySet<string>> {
    const tree = trees.get(cid) ?? readTree(blocks, CID.parse(cid));
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
      file: async (key: string) => ((await isDeleted(CID.parse(key))) ? undefined : content.file(key)),
      folder: async (key: string) => ((await isDeleted(CID.parse(key))) ? undefined : content.folder(key)),
    },
    blocks: { get: async (cid: CID) => ((await isDeleted(cid)) ? undefined : blocks.get(cid)) },
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
