import * as dagPb from "@ipld/dag-pb";
import { UnixFS } from "ipfs-unixfs";
import { walkPath } from "ipfs-unixfs-exporter";
import type { CID } from "multiformats/cid";
import { identity } from "multiformats/hashes/identity";
import { Refusal } from "../http/json.ts";
import type { Block } from "./car.ts";
import { toBlockKey } from "./store.ts";

/** Returns a block; throws if it is missing. */
export type ReadBlock = (cid: CID) => Promise<Uint8Array>;

/** The part of a tree that is requested. */
export interface TreeRequest {
  /** Which blocks below a root are needed: none, those of the file or of the folder's listing, or all. */
  scope: "block" | "entity" | "all";
  /** Limits those of a file, and is ignored for a folder. Inclusive; negative numbers and `undefined` count from its end. */
  bytes?: { from: number; to: number | undefined };
}

/**
 * Yields `path`, whose blocks have been read already, then the blocks of a tree depth first, each one once. Needs about 100
 * bytes of memory per block.
 */
export async function* walkTree(
  readBlock: ReadBlock,
  root: CID,
  { scope, bytes: requested }: TreeRequest,
  path: readonly Block[] = [],
): AsyncGenerator<Block> {
  /** Yielded blocks, and whether all that was requested below them was yielded, too. */
  const yielded = new Map<string, boolean>();

  function* pass(block: Block): Generator<Block> {
    const key = toBlockKey(block.cid);
    // the bytes of an inlined block are in its content id
    if (yielded.has(key) || block.cid.multihash.code === identity.code) return;
    yielded.set(key, false);
    yield block;
  }

  /** Yields what is requested below a block, too; `bytes` are those of the file below it, all by default. */
  async function* walk(cid: CID, bytes?: ByteRange): AsyncGenerator<Block> {
    const key = toBlockKey(cid);
    if (yielded.get(key)) return;
    const { block, kind, data, links } = await readNode(readBlock, cid);
    yield* pass({ cid, bytes: block });
    let end = data.byteLength;
    for (const link of links) {
      const start = end;
      end += link.size;
      const isNeeded = scope === "all" || (scope === "entity" && (kind === "file" || link.isShard));
      if (!isNeeded || (bytes && (end <= bytes.from || start > bytes.to))) continue;
      const isPart = bytes && (start < bytes.from || end > bytes.to + 1);
      yield* walk(link.cid, isPart ? { from: bytes.from - start, to: bytes.to - start } : undefined);
    }
    if (!bytes) yielded.set(key, true);
  }

  for (const block of path) yield* pass(block);
  const node = requested ? await readNode(readBlock, root) : undefined;
  yield* walk(root, requested && node?.kind === "file" ? resolveBytes(requested, getFileSize(node)) : undefined);
}

/** Bytes of a file, from its start, inclusive; an empty range ends before it starts. */
export interface ByteRange {
  from: number;
  to: number;
}

/** Returns how many bytes a file has. */
export function getFileSize({ data, links }: TreeNode): number {
  return links.reduce((sum, { size }) => sum + size, data.byteLength);
}

function resolveBytes({ from, to = -1 }: NonNullable<TreeRequest["bytes"]>, size: number): ByteRange {
  const first = from < 0 ? Math.max(0, size + from) : from;
  const last = to < 0 ? size + to : to;
  return last < first ? { from: size, to: -1 } : { from: first, to: last };
}

/** Yields bytes of a file, all by default, block by block. */
export async function* readFile(
  readBlock: ReadBlock,
  cid: CID,
  { from, to }: ByteRange = { from: 0, to: Number.POSITIVE_INFINITY },
): AsyncGenerator<Uint8Array> {
  const { data, links } = await readNode(readBlock, cid);
  const own = data.subarray(from, to + 1);
  if (own.byteLength > 0) yield own;
  let start = data.byteLength;
  for (const { cid: below, size } of links) {
    const bytes = { from: Math.max(0, from - start), to: to - start };
    if (start + size > from && start <= to) yield* readFile(readBlock, below, bytes);
    start += size;
  }
}

/** Lists the entries of a folder, also those in the blocks of a sharded one. */
export async function listFolder(readBlock: ReadBlock, { links }: TreeNode): Promise<TreeLink[]> {
  const entries: TreeLink[] = [];
  for (const link of links) {
    const below = link.isShard ? await listFolder(readBlock, await readNode(readBlock, link.cid)) : [link];
    for (const entry of below) entries.push(entry);
  }
  return entries;
}

/**
 * Resolves the names below a content id, and returns the blocks that lead to the end, which is in none.
 *
 * @throws Refusal 404 if there is none.
 */
export async function resolvePath(readBlock: ReadBlock, root: CID, names: readonly string[]) {
  const blocks: Block[] = [];
  const blockstore = {
    async *get(cid: CID) {
      const bytes = await readBlock(cid);
      blocks.push({ cid, bytes });
      yield bytes;
    },
  };
  let cid = root;
  for (const name of names) {
    const above = cid;
    try {
      for await (const entry of walkPath(`${cid}/${name}`, blockstore)) cid = entry.cid;
    } catch (error) {
      throw error instanceof Refusal ? error : new Refusal(404, "Not Found");
    }
    // a file has no entries
    if (cid.equals(above)) throw new Refusal(404, "Not Found");
  }
  return { cid, blocks };
}

/** A link to a block below. */
export interface TreeLink {
  cid: CID;
  /** The name of an entry; of another block of the same sharded folder, empty. */
  name: string;
  /** Bytes of the file below it; 0 in a folder, -1 if the block does not state it. */
  size: number;
  /** Whether it leads to another block of the same sharded folder. */
  isShard: boolean;
}

/** A decoded block. */
export interface TreeNode {
  kind: "file" | "folder";
  /** Bytes of the file in the block itself, which precede those below. */
  data: Uint8Array;
  links: readonly TreeLink[];
  /** Bytes of this block and of all below it, as its links state them. */
  treeBytes: number;
  /** The encoded bytes. */
  block: Uint8Array;
}

const NONE = new Uint8Array(0);

/**
 * Reads and decodes a block. Blocks that are not dag-pb are files of their own bytes.
 *
 * @throws Refusal 400 for malformed UnixFS, and anything that is neither a file nor a folder; what `readBlock` throws.
 */
export async function readNode(readBlock: ReadBlock, cid: CID): Promise<TreeNode> {
  const block = await readBlock(cid);
  if (cid.code !== dagPb.code) return { kind: "file", data: block, links: [], treeBytes: block.byteLength, block };
  const { Links, unixFs } = decode(cid, block);
  const { type, data, blockSizes } = unixFs;
  const treeBytes = Links.reduce((sum, { Tsize }) => sum + (Tsize ?? 0), block.byteLength);
  if (unixFs.isDirectory()) {
    // a sub-shard is named by its place alone, an entry by its place and its name
    const placeLength = unixFs.fanout === undefined ? 0 : (Number(unixFs.fanout) - 1).toString(16).length;
    const links = Links.map(({ Hash, Name = "" }) => {
      const name = Name.slice(placeLength);
      return { cid: Hash, name, size: 0, isShard: placeLength > 0 && name === "" };
    });
    return { kind: "folder", data: NONE, links, treeBytes, block };
  }
  if (type !== "file" && type !== "raw") throw new Refusal(400, `Block ${cid} is a ${type}, which is not taken`);
  const links = Links.map(({ Hash }, at) => {
    return { cid: Hash, name: "", size: Number(blockSizes[at] ?? -1), isShard: false };
  });
  return { kind: "file", data: data ?? NONE, links, treeBytes, block };
}

function decode(cid: CID, block: Uint8Array) {
  try {
    const { Data, Links } = dagPb.decode(block);
    if (Data) return { Links, unixFs: UnixFS.unmarshal(Data) };
  } catch {
    // refused below, like a block without data
  }
  throw new Refusal(400, `Block ${cid} is no UnixFS`);
}
