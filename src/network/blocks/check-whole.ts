import { sha256 } from "#platform";
import { partMismatch } from "../../base/errors/blocks.ts";
import { networkError } from "../../base/errors/transport.ts";
import { cidMismatch, nothingProves } from "../../base/errors/verification.ts";
import type { ChunkProfile } from "../../formats/cid/chunk-profile.ts";
import { encodeCid, formatCid, readCid } from "../../formats/cid/content-id.ts";
import { type ComputedCid, createFileMatcher } from "../../formats/cid/match.ts";
import type { BlockId } from "./block-id.ts";
import { isLeaf } from "./file-tree.ts";
import type { StreamReader } from "./stream-reader.ts";
import type { TreeSearch } from "./tree-search.ts";
import { isBlock, MAX_BLOCK_BYTES } from "./verify-block.ts";
import { verifyStream } from "./verify-stream.ts";

/** What proves that bytes are those of a content id: the tree of blocks, or that the known ways to split a file yield it. */
export type VerifiedBy = "blocks" | "profile";

/** A file as one gateway sends it. */
export interface SentFile {
  cid: string;
  /** From `position` on. */
  stream: StreamReader;
  position: number;
  /** In bytes, if it is announced. */
  size: number | undefined;
  /** Whether a truncated stream fails. */
  endIsProven: boolean;
  /** Of the gateway. */
  url: string;
  /** A way to split the file, besides those that are known. */
  profile: ChunkProfile | undefined;
  signal: AbortSignal | undefined;
}

/** Up to here a file may be a single block that is not raw. */
const SMALL_FILE_BYTES = 256 * 1024;

/**
 * Yields the bytes of a file and returns what proved them: its tree of blocks, of which each part is verified before it
 * is yielded, or, if no gateway sends blocks, a known way to split the file, once all of it was yielded.
 *
 * @throws `CID_MISMATCH`; `NOT_VERIFIED` at the end of bytes that nothing proves; what `search` and the stream throw
 */
export async function* checkByBlocks(
  file: SentFile,
  id: BlockId,
  search: TreeSearch,
): AsyncGenerator<Uint8Array, VerifiedBy> {
  const { cid, stream, position, size, endIsProven, url, signal } = file;
  if (id.codec === "raw") {
    const bytes = await stream.take(MAX_BLOCK_BYTES + 1);
    if (!(await isBlock(id, [bytes]))) throw await blockMismatch(file, bytes);
    yield bytes;
    return "blocks";
  }
  if (position === 0) {
    const start = await stream.peek(SMALL_FILE_BYTES + 1);
    if (start.length <= SMALL_FILE_BYTES && (await isLeaf(id, [start]))) {
      yield start;
      return "blocks";
    }
  }
  const tree = await search.find();
  if (!tree) return yield* checkByProfile(file, (tried) => nothingProves({ cid, url, tried }, search.failure()));
  const { root, readBlock } = tree;
  const mismatch = (from: number, to: number) => partMismatch(cid, url, { from, to });
  if (size !== undefined && size !== root.size) throw mismatch(Math.min(size, root.size), Math.max(size, root.size));
  const early = new Error("The file ends early");
  yield* verifyStream(stream, {
    root,
    from: position,
    readBlock: (below) => readBlock(below, signal),
    mismatch,
    truncated: (at) => (endIsProven ? mismatch(at, root.size) : networkError({ method: "POST", url }, early)),
    signal,
  });
  return "blocks";
}

/**
 * Yields the bytes of a file from its start, and then proves them by a known way to split it.
 *
 * @param refuse - returns the error of bytes that no known way proves
 */
export async function* checkByProfile(
  { cid, stream, profile }: SentFile,
  refuse: (tried: readonly ComputedCid[]) => Error,
): AsyncGenerator<Uint8Array, VerifiedBy> {
  const expected = readCid(cid);
  const matcher = expected && createFileMatcher(expected, profile);
  for await (const chunk of stream.rest()) {
    await matcher?.update(chunk);
    yield chunk;
  }
  const { matches, tried } = (await matcher?.finish()) ?? { matches: false, tried: [] };
  if (!matches) throw refuse(tried);
  return "profile";
}

async function blockMismatch({ cid, url }: SentFile, bytes: Uint8Array): Promise<Error> {
  const expected = readCid(cid);
  if (!expected || bytes.length > MAX_BLOCK_BYTES) return partMismatch(cid, url, { from: 0, to: bytes.length });
  const got = formatCid(encodeCid(1, "raw", await sha256(bytes)), expected.base);
  return cidMismatch({ expected: cid, got, url });
}
