import { hash } from "node:crypto";
import { ZeroComm } from "@web3-storage/data-segment";
import { PADDED_QUAD_BYTES, padQuad, QUAD_BYTES } from "./fr32.ts";

const NODE_BYTES = 32;

/** Levels above the leaves of the smallest piece there is, which has four of them. */
const SMALLEST_HEIGHT = 2;

/** A piece as storage providers seal it. */
export interface Piece {
  /** Root of the Merkle tree over the padded data. */
  root: Uint8Array;
  /** Levels above the leaves, which are 32 bytes each. */
  height: number;
}

/**
 * The piece of some bytes (CommP): padded to 254 of 256 bits, then with zeros to a power of two, and hashed
 * as a binary tree of SHA-256 with the two top bits of each node cleared. Takes the memory of one chunk.
 */
export async function pieceOf(content: AsyncIterable<Uint8Array>): Promise<Piece> {
  // the left neighbour that waits at each level of the tree
  const waiting: (Uint8Array | undefined)[] = [];
  let leaves = 0;

  function addQuad(quad: Uint8Array): void {
    const padded = padQuad(quad);
    for (let at = 0; at < PADDED_QUAD_BYTES; at += NODE_BYTES) addLeaf(padded.subarray(at, at + NODE_BYTES));
  }
  function addLeaf(leaf: Uint8Array): void {
    leaves++;
    let node = leaf;
    for (let level = 0; ; level++) {
      const left = waiting[level];
      if (!left) {
        waiting[level] = node;
        return;
      }
      waiting[level] = undefined;
      node = parentOf(left, node);
    }
  }

  let rest = new Uint8Array(0);
  for await (const chunk of content) {
    const bytes = rest.byteLength === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (; at + QUAD_BYTES <= bytes.byteLength; at += QUAD_BYTES) addQuad(bytes.subarray(at, at + QUAD_BYTES));
    rest = Uint8Array.from(bytes.subarray(at));
  }
  if (rest.byteLength > 0 || leaves === 0) addQuad(rest);

  const height = Math.max(SMALLEST_HEIGHT, Math.ceil(Math.log2(leaves)));
  let last: Uint8Array | undefined;
  for (let level = 0; level < height; level++) {
    const left = waiting[level] ?? last;
    const right = waiting[level] ? last : undefined;
    if (left) last = parentOf(left, right ?? ZeroComm.fromLevel(level));
  }
  // only a full tree has its root already
  return { root: waiting[height] ?? last ?? ZeroComm.fromLevel(height), height };
}

const pair = Buffer.alloc(2 * NODE_BYTES);

function parentOf(left: Uint8Array, right: Uint8Array): Uint8Array {
  pair.set(left);
  pair.set(right, NODE_BYTES);
  const node = hash("sha256", pair, "buffer");
  node[NODE_BYTES - 1] = (node[NODE_BYTES - 1] ?? 0) & 0x3f;
  return node;
}
