import { partMismatch } from "../../base/errors/blocks.ts";
import type { FileSource } from "./read-file.ts";
import { createStreamReader } from "./stream-reader.ts";
import { verifyStream } from "./verify-stream.ts";

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
 * Yields the kept bytes of a file as far as they are right: each part once it is verified by the tree of blocks. A part
 * that is not there as a whole is left out.
 *
 * @throws what fetching blocks throws
 */
export async function* readPartial(
  partial: PartialStart,
  { file, root, readBlock }: FileSource,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const end = partMismatch(file, "", { from: 0, to: partial.size });
  try {
    yield* verifyStream(createStreamReader(partial.read()), {
      root,
      from: 0,
      readBlock: (id) => readBlock(id, signal),
      mismatch: () => end,
      truncated: () => end,
      signal,
    });
  } catch (error) {
    if (error !== end) throw error;
  }
}

/** Yields the chunks of the rest of a file, from `position` on, each once it is kept. */
export async function* keepRest(
  partial: PartialStart,
  position: number,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let isTruncated = false;
  for await (const chunk of chunks) {
    // Not before there is something better.
    if (!isTruncated) await partial.truncate(position);
    isTruncated = true;
    await partial.write(chunk);
    yield chunk;
  }
  if (!isTruncated) await partial.truncate(position);
}
