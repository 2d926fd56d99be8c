import { malformedFile, noSuchPath } from "../../base/errors/content.ts";
import { type BlockId, formatBlockId } from "./block-id.ts";
import { type DagNode, decodeNode, type ShardNode } from "./decode-node.ts";
import type { ReadBlock } from "./file-tree.ts";

/** A decoded block and its content id. */
export interface FoundNode {
  id: BlockId;
  node: DagNode;
}

/** Bits of the hash of a name. */
const HASH_BITS = 64;

/**
 * Finds what is at a path below a file or folder, by reading only the blocks that lead there. In a sharded folder that
 * is one block for each level (https://specs.ipfs.tech/unixfs/#dag-pb-hamtdirectory).
 *
 * @param path - names separated by slashes; empty for the root itself
 * @throws `PATH_NOT_FOUND`; `INVALID_RESPONSE` for a malformed folder; what `readBlock` throws
 */
export async function resolvePath(root: BlockId, path: string, readBlock: ReadBlock): Promise<FoundNode> {
  const names = path.split("/").filter((name) => name !== "");
  let found = await readNode(root, readBlock);
  for (const [at, name] of names.entries()) {
    const id = await findEntry(found, name, readBlock);
    if (!id) throw noSuchPath(formatBlockId(root), names.slice(0, at + 1).join("/"));
    found = await readNode(id, readBlock);
  }
  return found;
}

async function readNode(id: BlockId, readBlock: ReadBlock): Promise<FoundNode> {
  const node = decodeNode(id.codec, await readBlock(id));
  if (!node) throw malformedFile(formatBlockId(id), "it is not UnixFS");
  return { id, node };
}

async function findEntry({ node, id }: FoundNode, name: string, readBlock: ReadBlock): Promise<BlockId | undefined> {
  if (node.kind === "folder") return node.links.find((link) => link.name === name)?.id;
  if (node.kind !== "shard") return undefined;
  return findInShard({ id, node }, name, readBlock);
}

/** Each level uses the next bits of the name's hash, the highest ones first. */
async function findInShard(
  root: { id: BlockId; node: ShardNode },
  name: string,
  readBlock: ReadBlock,
): Promise<BlockId | undefined> {
  const hash = murmur3(new TextEncoder().encode(name));
  let { id, node } = root;
  for (let used = 0; ; ) {
    const bits = Math.log2(node.fanout);
    used += bits;
    if (used > HASH_BITS) throw malformedFile(formatBlockId(id), "it is nested too deeply");
    const position = Number(BigInt.asUintN(bits, hash >> BigInt(HASH_BITS - used)));
    const prefix = formatPosition(position, node);
    const inside = node.links.find((link) => link.name === prefix);
    if (!inside) return node.links.find((link) => link.name === prefix + name)?.id;
    node = await readShard(inside.id, id, readBlock);
    ({ id } = inside);
  }
}

/** Reads a part of a sharded folder. */
export async function readShard(id: BlockId, folder: BlockId, readBlock: ReadBlock): Promise<ShardNode> {
  const node = decodeNode(id.codec, await readBlock(id));
  if (node?.kind === "shard") return node;
  throw malformedFile(formatBlockId(folder), "a part of it is not part of a folder");
}

/** Formats a position in a shard, as names of its links start. */
export function formatPosition(position: number, { fanout }: ShardNode): string {
  const digits = (fanout - 1).toString(16).length;
  return position.toString(16).toUpperCase().padStart(digits, "0");
}

// MurmurHash3 x64 128 by Austin Appleby (public domain), of which folders use the first 64 bits:
// https://specs.ipfs.tech/unixfs/#dag-pb-hamtdirectory. Coded by hand: the packages that have it bring a framework.

const C1 = 0x87c37b91114253d5n;
const C2 = 0x4cf5ad432745937fn;
const BLOCK_BYTES = 16;

const low = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotate = (value: bigint, by: bigint): bigint => low((value << by) | (value >> (64n - by)));
const mixFirst = (lane: bigint): bigint => low(rotate(low(lane * C1), 31n) * C2);
const mixSecond = (lane: bigint): bigint => low(rotate(low(lane * C2), 33n) * C1);

/** Computes the first 64 bits of MurmurHash3 x64 128 with seed 0. */
function murmur3(bytes: Uint8Array): bigint {
  let first = 0n;
  let second = 0n;
  const whole = bytes.length - (bytes.length % BLOCK_BYTES);
  for (let at = 0; at < whole; at += BLOCK_BYTES) {
    first ^= mixFirst(readLane(bytes, at));
    first = low(low(rotate(first, 27n) + second) * 5n + 0x52dce729n);
    second ^= mixSecond(readLane(bytes, at + 8));
    second = low(low(rotate(second, 31n) + first) * 5n + 0x38495ab5n);
  }
  const length = BigInt(bytes.length);
  first ^= mixFirst(readLane(bytes, whole)) ^ length;
  second ^= mixSecond(readLane(bytes, whole + 8)) ^ length;
  first = low(first + second);
  second = low(second + first);
  return low(finish(first) + finish(second));
}

/** Reads 8 bytes, the lowest first; those after the end count as zero. */
function readLane(bytes: Uint8Array, start: number): bigint {
  let lane = 0n;
  for (let at = 7; at >= 0; at--) lane = (lane << 8n) | BigInt(bytes[start + at] ?? 0);
  return lane;
}

function finish(lane: bigint): bigint {
  const mixed = low((lane ^ (lane >> 33n)) * 0xff51afd7ed558ccdn);
  const again = low((mixed ^ (mixed >> 33n)) * 0xc4ceb9fe1a85ec53n);
  return again ^ (again >> 33n);
}
