import * as dagPb from "@ipld/dag-pb";
import { UnixFS } from "ipfs-unixfs";
import type { CID } from "multiformats/cid";
import * as raw from "multiformats/codecs/raw";
import { identity } from "multiformats/hashes/identity";
import { type Block, toBlockKey } from "./car.ts";

/** Returns a block; throws if it is missing. */
export type ReadBlock = (cid: CID) => Promise<Uint8Array>;

/** Which blocks below a root are needed: none, those of the file or of the folder's listing, or all. */
export type TreeScope = "block" | "entity" | "all";

/** Bytes of a file, inclusive; negative numbers count from its end, which `undefined` is, too. */
export interface EntityBytes {
  from: number;
  to: number | undefined;
}

/**
 * Creates a walker, which yields blocks depth first, each one once, also over several calls. It needs about 100 bytes of
 * memory per block.
 */
export function createTreeWalker(readBlock: ReadBlock) {
  /** Yielded blocks, and whether all that was requested below them was yielded, too. */
  const yielded = new Map<string, boolean>();

  /** Yields a block that has been read already. */
  function* pass(block: Block): Generator<Block> {
    const key = toBlockKey(block.cid);
    // the bytes of an inlined block are in its content id
    if (yielded.has(key) || block.cid.multihash.code === identity.code) return;
    yielded.set(key, false);
    yield block;
  }

  async function read(cid: CID): Promise<{ block: Block; node: TreeNode }> {
    const block = { cid, bytes: await readBlock(cid) };
    return { block, node: decodeNode(block) };
  }

  async function* walkWhole(cid: CID, scope: TreeScope): AsyncGenerator<Block> {
    const key = toBlockKey(cid);
    if (yielded.get(key)) return;
    const { block, node } = await read(cid);
    yield* pass(block);
    for (const link of node.links) if (isFollowed(node, link, scope)) yield* walkWhole(link.cid, scope);
    yielded.set(key, true);
  }

  async function* walkRange(cid: CID, start: number, from: number, to: number): AsyncGenerator<Block> {
    const { block, node } = await read(cid);
    yield* pass(block);
    let next = start + node.ownBytes;
    for (const link of node.links) {
      const first = next;
      next += link.size;
      if (next <= from || first > to) continue;
      const isWhole = link.cid.code === raw.code || (first >= from && next <= to + 1);
      yield* isWhole ? walkWhole(link.cid, "entity") : walkRange(link.cid, first, from, to);
    }
  }

  return {
    pass,
    /** Yields the blocks of a tree; `bytes` limits those of a file, and is ignored for a folder. */
    async *walk(root: CID, scope: TreeScope, bytes?: EntityBytes): AsyncGenerator<Block> {
      if (scope === "entity" && bytes) {
        const { node } = await read(root);
        if (node.kind === "file") {
          yield* walkRange(root, 0, ...resolveBytes(bytes, getFileSize(node)));
          return;
        }
      }
      yield* walkWhole(root, scope);
    },
  };
}

function isFollowed({ kind }: TreeNode, { isShard }: TreeLink, scope: TreeScope): boolean {
  return scope === "all" || (scope === "entity" && (kind === "file" || isShard));
}

function getFileSize({ ownBytes, links }: TreeNode): number {
  return links.reduce((sum, { size }) => sum + size, ownBytes);
}

/** Resolves bytes of a file to offsets; an empty or unsatisfiable range ends before it starts. */
function resolveBytes({ from, to = -1 }: EntityBytes, size: number): [from: number, to: number] {
  const first = from < 0 ? Math.max(0, size + from) : from;
  const last = to < 0 ? size + to : to;
  return last < first ? [size, -1] : [first, last];
}

/** A link to a block below. */
interface TreeLink {
  cid: CID;
  /** Bytes of the file below it; 0 in a folder. */
  size: number;
  /** Whether it leads to another block of the same sharded folder. */
  isShard: boolean;
}

/** A decoded block. */
export interface TreeNode {
  kind: "file" | "folder";
  /** Bytes of the file in the block itself, which precede those below. */
  ownBytes: number;
  links: readonly TreeLink[];
}

/** Decodes a block. Blocks that are not dag-pb are files of their own bytes. Throws for malformed UnixFS. */
export function decodeNode({ cid, bytes }: Block): TreeNode {
  if (cid.code !== dagPb.code) return { kind: "file", ownBytes: bytes.byteLength, links: [] };
  const { Data, Links } = dagPb.decode(bytes);
  const unixFs = UnixFS.unmarshal(Data ?? new Uint8Array(0));
  if (unixFs.isDirectory()) {
    // a sub-shard is named by its place alone, an entry by its place and its name
    const placeLength = unixFs.fanout === undefined ? -1 : (Number(unixFs.fanout) - 1).toString(16).length;
    const links = Links.map(({ Hash, Name }) => ({ cid: Hash, size: 0, isShard: Name?.length === placeLength }));
    return { kind: "folder", ownBytes: 0, links };
  }
  const links = Links.map(({ Hash }, at) => ({ cid: Hash, size: Number(unixFs.blockSizes[at] ?? 0), isShard: false }));
  return { kind: "file", ownBytes: unixFs.data?.byteLength ?? 0, links };
}
