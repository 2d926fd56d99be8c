import { sha256 } from "#platform";
import { blockMismatch } from "../../base/errors/content.ts";
import { networkError } from "../../base/errors/transport.ts";
import { cidMismatch, nothingProves } from "../../base/errors/verification.ts";
import type { ChunkProfile } from "../../formats/cid/chunk-profile.ts";
import { encodeCid, formatCid, readCid } from "../../formats/cid/content-id.ts";
import { type ComputedCid, createFileMatcher } from "../../formats/cid/match.ts";
import { type BlockId, isBlock, MAX_BLOCK_BYTES } from "./block-id.ts";
import { isLeaf, verifyStream } from "./file-tree.ts";
import type { FileSource } from "./read-file.ts";
import { createStreamReader, type StreamReader } from "./stream-reader.ts";
import type { TreeSearch } from "./stream-switch.ts";

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
  /** Receives the bytes. */
  release: (chunk: Uint8Array) => Promise<void>;
  signal: AbortSignal;
}

/** Up to here a file may be a single block that is not raw. */
const SMALL_FILE_BYTES = 256 * 1024;

/**
 * Releases the bytes of a file and returns what proved them: its tree of blocks, of which each part is verified before it
 * is released, or, if no gateway sends blocks, a known way to split the file, once all of it was released.
 *
 * @throws `CID_MISMATCH`; `NOT_VERIFIED` at the end of bytes that nothing proves; what `search`, `release` and the stream
 * throw
 */
export async function checkByBlocks(file: SentFile, id: BlockId, search: TreeSearch): Promise<VerifiedBy> {
  const { cid, stream, position, size, endIsProven, url, release, signal } = file;
  if (id.codec === "raw") {
    const bytes = await stream.take(MAX_BLOCK_BYTES + 1);
    if (!(await isBlock(id, [bytes]))) throw await rawMismatch(file, bytes);
    await release(bytes);
    return "blocks";
  }
  if (position === 0) {
    const start = await stream.peek(SMALL_FILE_BYTES + 1);
    if (start.length <= SMALL_FILE_BYTES && (await isLeaf(id, [start]))) {
      await release(start);
      return "blocks";
    }
  }
  const tree = await search.find();
  if (!tree) return checkByProfile(file, (tried) => nothingProves({ cid, url, tried }, search.failure()));
  const { root, readBlock } = tree;
  const mismatch = (from: number, to: number) => blockMismatch(cid, url, { from, to });
  if (size !== undefined && size !== root.size) throw mismatch(Math.min(size, root.size), Math.max(size, root.size));
  const early = new Error("The file ends early");
  await verifyStream(stream, {
    root,
    from: position,
    readBlock: (below) => readBlock(below, signal),
    mismatch,
    truncated: (at) => (endIsProven ? mismatch(at, root.size) : networkError({ method: "POST", url }, early)),
    release,
    signal,
  });
  return "blocks";
}

/**
 * Releases the bytes of a file from its start, and then proves them by a known way to split it.
 *
 * @param refuse - returns the error of bytes that no known way proves
 */
export async function checkByProfile(
  { cid, stream, profile, release }: SentFile,
  refuse: (tried: readonly ComputedCid[]) => Error,
): Promise<VerifiedBy> {
  const expected = readCid(cid);
  const matcher = expected && createFileMatcher(expected, profile);
  for (let chunk = await stream.next(); chunk.length > 0; chunk = await stream.next()) {
    await matcher?.update(chunk);
    await release(chunk);
  }
  const { matches, tried } = (await matcher?.finish()) ?? { matches: false, tried: [] };
  if (!matches) throw refuse(tried);
  return "profile";
}

async function rawMismatch({ cid, url }: SentFile, bytes: Uint8Array): Promise<Error> {
  const expected = readCid(cid);
  if (!expected || bytes.length > MAX_BLOCK_BYTES) return blockMismatch(cid, url, { from: 0, to: bytes.length });
  const got = formatCid(encodeCid(1, "raw", await sha256(bytes)), expected.base);
  return cidMismatch({ expected: cid, got, url });
}

/** The start of a file that earlier calls have received, which grows as more arrives. */
export interface PartialStart {
  /** Bytes that have arrived, not to be trusted. */
  readonly size: number;
  /** Yields those. */
  read(): AsyncIterable<Uint8Array>;
  /** Removes all but the first bytes; what is written follows them. */
  truncate(size: number): Promise<void>;
  write(chunk: Uint8Array): Promise<void>;
  /** Receives the size of the whole file, once it is known. */
  expect(size: number): void;
}

/**
 * Releases the kept bytes of a file as far as they are right: each part once it is verified by the tree of blocks. A part
 * that is not there as a whole is left out.
 *
 * @throws what `release` and fetching blocks throw
 */
export async function checkPartial(
  partial: PartialStart,
  { file, root, readBlock }: FileSource,
  release: (chunk: Uint8Array) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const end = blockMismatch(file, "", { from: 0, to: partial.size });
  try {
    await verifyStream(createStreamReader(partial.read()), {
      root,
      from: 0,
      readBlock: (id) => readBlock(id, signal),
      mismatch: () => end,
      truncated: () => end,
      release,
      signal,
    });
  } catch (error) {
    if (error !== end) throw error;
  }
}
