import { open } from "node:fs/promises";
import * as dagPb from "@ipld/dag-pb";
import { UnixFS } from "ipfs-unixfs";
import { CID } from "multiformats/cid";
import * as raw from "multiformats/codecs/raw";
import { identity } from "multiformats/hashes/identity";
import { type BlockLocation, toBlockKey } from "../car/read-car.ts";
import { indexTree, type LeafLocation } from "./index-tree.ts";
import type { ContentStore } from "./store.ts";

/** Maximum bytes of a file that may be one wrapped block. */
const MAX_WRAPPED_BYTES = 2 * 1024 * 1024;

/** The blocks of all stored files and folders. */
export interface BlockStore {
  /** Returns the block of a content id, of either version and any codec; `undefined` if there is none. */
  get(cid: CID): Promise<Uint8Array | undefined>;
}

/**
 * Creates a view of the stored content as blocks. Leaves are read from the stored files. Tree files are indexed when a
 * block is requested that is in none of those before.
 */
export function createBlockStore(content: ContentStore): BlockStore {
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
    async get(cid) {
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
