import { sha256 } from "#platform";
import { encodeCid, formatCid, readCid } from "../cid/content-id.ts";
import { createFileMatcher } from "../cid/match.ts";
import { partMismatch } from "../errors/blocks.ts";
import { networkError } from "../errors/transport.ts";
import { cidMismatch, cidNotVerifiable } from "../errors/verification.ts";
import type { BlockId } from "./block-id.ts";
import { isLeaf } from "./file-tree.ts";
import type { FileSource } from "./read-file.ts";
import type { StreamReader } from "./stream-reader.ts";
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
  signal: AbortSignal | undefined;
}

/** Up to here a file may be a single block that is not raw. */
const SMALL_FILE_BYTES = 256 * 1024;

/**
 * Yields the bytes of a file, verified by its tree of blocks as far as that is possible, and returns what proved them.
 *
 * @param findTree - resolves to `undefined` if no gateway sends blocks of the file
 * @param mustMatch - refuses what cannot be verified
 * @throws `CID_MISMATCH`; `UNSUPPORTED` with `mustMatch`; what `findTree` and the stream throw
 */
export async function* checkByBlocks(
  file: SentFile,
  id: BlockId,
  findTree: () => Promise<FileSource | undefined>,
  mustMatch: boolean,
): AsyncGenerator<Uint8Array, VerifiedBy | undefined> {
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
  const tree = await findTree();
  if (!tree) return yield* checkByProfile(file, mustMatch);
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

/** Yields the bytes of a file from its start, and returns whether a known way to split it yields its content id. */
export async function* checkByProfile(
  { cid, stream }: SentFile,
  mustMatch: boolean,
): AsyncGenerator<Uint8Array, VerifiedBy | undefined> {
  const expected = readCid(cid);
  if (!expected) {
    yield* stream.rest();
    if (mustMatch) throw cidNotVerifiable(cid);
    return undefined;
  }
  const matcher = createFileMatcher(expected);
  for await (const chunk of stream.rest()) {
    await matcher.update(chunk);
    yield chunk;
  }
  const { matches, got } = await matcher.finish();
  if (matches) return "profile";
  if (mustMatch) throw cidMismatch({ expected: cid, got });
  return undefined;
}

async function blockMismatch({ cid, url }: SentFile, bytes: Uint8Array): Promise<Error> {
  const expected = readCid(cid);
  if (!expected || bytes.length > MAX_BLOCK_BYTES) return partMismatch(cid, url, { from: 0, to: bytes.length });
  const got = formatCid(encodeCid(1, "raw", await sha256(bytes)), expected.base);
  return cidMismatch({ expected: cid, got, url });
}
