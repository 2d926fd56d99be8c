import { encode } from "@ipld/dag-cbor";
import * as dagPb from "@ipld/dag-pb";
import { MemoryBlockstore } from "blockstore-core";
import { UnixFS } from "ipfs-unixfs";
import { importer } from "ipfs-unixfs-importer";
import { fixedSize } from "ipfs-unixfs-importer/chunker";
import { CID } from "multiformats/cid";
import * as raw from "multiformats/codecs/raw";
import { sha256 } from "multiformats/hashes/sha2";

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

/** Creates the blocks of files by path, in leaves of `leafBytes`; folders are split over blocks from 1,000 bytes on. */
export async function createTree(files: Readonly<Record<string, Uint8Array>>, leafBytes = 1_000): Promise<Tree> {
  const store = new MemoryBlockstore();
  const candidates = Object.entries(files).map(([path, content]) => ({ path, content }));
  let root: CID | undefined;
  const chunker = fixedSize({ chunkSize: leafBytes });
  const options = { cidVersion: 1, rawLeaves: true, chunker, shardSplitThresholdBytes: 1_000 } as const;
  for await (const { cid } of importer(candidates, store, options)) root = cid;
  if (!root) throw new Error("no files");
  const blocks: Block[] = [];
  for await (const { cid, bytes } of store.getAll()) blocks.push({ cid, bytes: await concat(bytes) });
  return { root, blocks };
}

/**
 * Creates a tree in which each node links to the one below it `width` times: a few blocks that stand for
 * `width ** levels` leaves.
 */
export async function createRepeatedTree(
  kind: "file" | "directory",
  levels: number,
  width: number,
  leaf = Uint8Array.of(7),
): Promise<Tree> {
  let below = await createBlock(raw.code, leaf);
  const blocks = [below];
  let size = leaf.byteLength;
  for (let level = 0; level < levels; level++) {
    const data = new UnixFS({
      type: kind,
      ...(kind === "file" ? { blockSizes: Array(width).fill(BigInt(size)) } : {}),
    });
    const name = (link: number) => (kind === "file" ? "" : String(link).padStart(3, "0"));
    const Links = Array.from({ length: width }, (_, link) => ({ Name: name(link), Hash: below.cid, Tsize: size }));
    below = await createBlock(dagPb.code, dagPb.encode({ Data: data.marshal(), Links }));
    blocks.push(below);
    size *= width;
  }
  return { root: below.cid, blocks };
}

/** Creates a sharded folder in which each node links to the one below it 16 times, as a block of codec `code`. */
export async function createRepeatedShards(levels: number, code: number): Promise<Tree> {
  let below = await createBlock(raw.code, Uint8Array.of(7));
  const blocks = [below];
  const data = new UnixFS({ type: "hamt-sharded-directory", hashType: 0x22n, fanout: 256n }).marshal();
  for (let level = 1; level <= levels; level++) {
    const name = (link: number) => link.toString(16).padStart(2, "0") + (level === 1 ? "file" : "");
    const Links = Array.from({ length: 16 }, (_, link) => ({ Name: name(link), Hash: below.cid, Tsize: 1 }));
    below = await createBlock(level === levels ? dagPb.code : code, dagPb.encode({ Data: data, Links }));
    blocks.push(below);
  }
  return { root: below.cid, blocks };
}

async function createBlock(code: number, bytes: Uint8Array): Promise<Block> {
  return { cid: CID.createV1(code, await sha256.digest(bytes)), bytes };
}

/** Encodes an archive (CARv1). */
export function encodeCar(roots: readonly CID[], blocks: readonly Block[], version = 1): Uint8Array<ArrayBuffer> {
  const parts = [encode({ version, roots }), ...blocks.map(({ cid, bytes }) => Buffer.concat([cid.bytes, bytes]))];
  return Uint8Array.from(Buffer.concat(parts.flatMap((part) => [encodeVarint(part.byteLength), part])));
}

/** Encodes an unsigned number as LEB128. */
export function encodeVarint(value: number): Uint8Array {
  const bytes: number[] = [];
  let left = value;
  for (; left > 0x7f; left = Math.floor(left / 0x80)) bytes.push((left & 0x7f) | 0x80);
  return Uint8Array.of(...bytes, left);
}

async function concat(bytes: Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Uint8Array> {
  if (bytes instanceof Uint8Array) return bytes;
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}
