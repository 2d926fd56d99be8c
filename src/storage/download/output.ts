import { blobSink, fileSink, maxArrayBytes, spool } from "#platform";
import { invalidOption } from "../../base/errors/input.ts";
import { tooLargeForArray } from "../../base/errors/transport.ts";
import { type OptionSchema, oneOf, optional, type Resolved } from "../../base/operation.ts";
import { concatBytes } from "../../base/streams/bytes.ts";
import { toChunks } from "../../base/streams/chunks.ts";
import { writeAll } from "../../base/streams/reading.ts";
import type { RereadableSink, SavedFile, Spooled } from "../../platform/types.ts";

/**
 * In Node: writes to this path, where the file appears whole or not at all. It gets the mode of the file that it
 * replaces, or 0600. A symbolic link at the path is replaced, not followed.
 */
export interface ToPath {
  /** Path, or `file:` URL. */
  to: string | URL;
  /** Excluded by `to`. */
  as?: undefined;
}

/** Returns a Blob: in a page, one that is kept outside the heap; in Node, one in memory of at most 4 GiB. */
export interface AsBlob {
  /** Excluded by `as`. */
  to?: undefined;
  /** A Blob. */
  as: "blob";
}

/** Returns a stream, once all of its bytes are received and trusted. */
export interface AsStream {
  /** Excluded by `as`. */
  to?: undefined;
  /** A ReadableStream. */
  as: "stream";
}

/** Returns bytes: at most 4 GiB in Node, 2 GiB in a page. */
export interface AsBytes {
  /** Excluded by `as`. */
  to?: undefined;
  /** A Uint8Array. @default `"bytes"` */
  as?: "bytes" | undefined;
}

/** Writes to a path if there is one, and returns bytes otherwise. */
export interface ToPathOrBytes {
  /** Path, or `file:` URL. */
  to?: string | URL | undefined;
  /** Excluded by `to`. */
  as?: undefined;
}

/** Where a download is written and what the call returns. */
export type OutputOptions = ToPath | AsBlob | AsStream | AsBytes | ToPathOrBytes;

/** Checks {@link OutputOptions}; so does {@link checkOutput}. */
export const outputSchema = {
  to(to, name): string | URL | undefined {
    if (to === undefined || typeof to === "string" || to instanceof URL) return to;
    throw invalidOption(name, "a path or a file: URL");
  },
  as: optional(oneOf(["bytes", "blob", "stream"], "bytes")),
} satisfies OptionSchema<OutputOptions>;

type ResolvedOutput = Partial<Resolved<typeof outputSchema>>;

/** A file, in one of the forms in which a call returns it. */
export type Output = SavedFile | Blob | ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>;

/** A sink for the result of a call. */
export interface ResultSink extends RereadableSink<Output> {
  /** Discards all that was written, and starts again. */
  restart(): Promise<void>;
}

type OutputSink = Omit<ResultSink, "restart">;

/**
 * Opens the sink for the bytes. Nothing is released before it is committed.
 *
 * @throws `INVALID_OPTION`, `CANNOT_WRITE`, `UNSUPPORTED`
 */
export async function openOutput(output: ResolvedOutput): Promise<ResultSink> {
  const sink = await openSink(output);
  return Object.assign(sink, {
    async restart() {
      await sink.abandon();
      Object.assign(sink, await openSink(output));
    },
  });
}

async function openSink({ to, as = "bytes" }: ResolvedOutput): Promise<OutputSink> {
  if (to !== undefined) return fileSink(to);
  if (as === "bytes") return createBytesSink();
  return as === "blob" ? openBlobSink() : openStreamSink();
}

/**
 * Writes all chunks to where the options say. Nothing is there after a failure.
 *
 * @throws `CANNOT_WRITE`, `UNSUPPORTED` (a path in a page), `RESPONSE_TOO_LARGE`, `ABORTED`; what the chunks throw
 */
export async function writeOutput(
  chunks: AsyncIterable<Uint8Array>,
  output: ResolvedOutput,
  signal: AbortSignal | undefined,
): Promise<Output> {
  return fillOutput(output, (sink) => writeAll(sink, chunks, signal));
}

/** Opens the sink, and commits it once `write` is done. Nothing is there after a failure. */
export async function fillOutput(output: ResolvedOutput, write: (sink: ResultSink) => Promise<void>): Promise<Output> {
  const sink = await openOutput(output);
  try {
    await write(sink);
    return await sink.commit();
  } catch (error) {
    await sink.abandon();
    throw error;
  }
}

/** Throws `INVALID_OPTION` for a form beside a target. */
export function checkOutput({ to, as }: ResolvedOutput): void {
  if (to !== undefined && as !== undefined) throw invalidOption("as", "nothing beside `to`");
}

async function openBlobSink(): Promise<OutputSink> {
  const sink = await blobSink();
  return {
    ...sink,
    async *reread() {
      yield* toChunks((await sink.commit()).stream());
    },
  };
}

async function openStreamSink(): Promise<OutputSink> {
  const spooled = await spool();
  let kept: Spooled | undefined;
  return {
    write: spooled.write,
    commit: async () => (await spooled.commit()).stream(),
    async *reread() {
      kept = await spooled.commit();
      yield* toChunks(kept.stream());
    },
    abandon: () => (kept ? kept.discard() : spooled.abandon()),
  };
}

function createBytesSink(): OutputSink {
  let chunks: Uint8Array[] = [];
  let size = 0;

  function announce(bytes: number): void {
    if (bytes > maxArrayBytes) throw tooLargeForArray(bytes);
  }

  return {
    announce,
    async write(chunk) {
      size += chunk.length;
      announce(size);
      chunks.push(chunk);
    },
    async commit() {
      try {
        return concatBytes(chunks);
      } catch {
        // The runtime has less memory left than it allows.
        throw tooLargeForArray(size);
      } finally {
        chunks = [];
      }
    },
    async *reread() {
      yield* chunks;
    },
    async abandon() {
      chunks = [];
    },
  };
}
