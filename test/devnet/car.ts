import { encode } from "@ipld/dag-cbor";
import { MemoryBlockstore } from "blockstore-core";
import { importer } from "ipfs-unixfs-importer";
import { fixedSize } from "ipfs-unixfs-importer/chunker";
import type { CID } from "multiformats/cid";

/** A block of an archive. */
export interface Block {
  cid: CID;
  bytes: Uint8Array;
}

/** A tree of files as blocks. */
export interface Tree {
  root: CID;
  blocks: Block[];
}

/** Makes the blocks of files by path, in leaves of `leafBytes`; folders are split over blocks from 1,000 bytes on. */
export async function treeOf(files: Readonly<Record<string, Uint8Array>>, leafBytes = 1_000): Promise<Tree> {
  const store = new MemoryBlockstore();
  const candidates = Object.entries(files).map(([path, content]) => ({ path, content }));
  let root: CID | undefined;
  const chunker = fixedSize({ chunkSize: leafBytes });
  const options = { cidVersion: 1, rawLeaves: true, chunker, shardSplitThresholdBytes: 1_000 } as const;
  for await (const { cid } of importer(candidates, store, options)) root = cid;
  if (!root) throw new Error("no files");
  const blocks: Block[] = [];
  for await (const { cid, bytes } of store.getAll()) blocks.push({ cid, bytes: await joined(bytes) });
  return { root, blocks };
}

/** Writes an archive (CARv1). */
export function carOf(roots: readonly CID[], blocks: readonly Block[], version = 1): Uint8Array<ArrayBuffer> {
  const parts = [encode({ version, roots }), ...blocks.map(({ cid, bytes }) => Buffer.concat([cid.bytes, bytes]))];
  return Uint8Array.from(Buffer.concat(parts.flatMap((part) => [varint(part.byteLength), part])));
}

/** An unsigned number in LEB128. */
export function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let left = value;
  for (; left > 0x7f; left = Math.floor(left / 0x80)) bytes.push((left & 0x7f) | 0x80);
  return Uint8Array.of(...bytes, left);
}

async function joined(bytes: Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Uint8Array> {
  if (bytes instanceof Uint8Array) return bytes;
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces);
}
