import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import * as dagPb from "@ipld/dag-pb";
import type { CID } from "multiformats/cid";
import { identity } from "multiformats/hashes/identity";
import { type BlockLocation, readCar, toBlockKey } from "../car/read-car.ts";
import { decodeNode, type TreeNode } from "./decode-node.ts";

/** A leaf as part of a stored file. */
export interface LeafLocation {
  /** Content key of the file. */
  file: string;
  offset: number;
  length: number;
  /** Whether the block is these bytes wrapped in dag-pb, not the bytes themselves. */
  isWrapped: boolean;
}

/** The blocks of an upload, by {@link toBlockKey}. */
export interface TreeIndex {
  /** Where a block is in the tree file. */
  nodes: ReadonlyMap<string, BlockLocation>;
  /** Where all other blocks are in the stored files. */
  leaves: ReadonlyMap<string, LeafLocation>;
}

/** Reads a tree file, and finds out from its nodes which part of its files each leaf is. */
export async function indexTree(path: string): Promise<TreeIndex> {
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
async function decodeFileNodes(
  path: string,
  blocks: ReadonlyMap<string, BlockLocation>,
): Promise<Map<string, { cid: CID; node: TreeNode }>> {
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
