import { blobSink, fileSink, maxArrayBytes, spool } from "#platform";
import { invalidOption } from "../../errors/input.ts";
import { tooLargeForArray } from "../../errors/transport.ts";
import type { RereadableSink, SavedFile, Spooled } from "../../platform/types.ts";
import { toChunks } from "../../streams/chunks.ts";

/**
 * In Node: writes to this path, where the file appears whole or not at all. It has the mode of the file that it replaces,
 * or else 0600. A symbolic link at the path is replaced, not followed.
 */
export interface ToPath {
  /** Path, or `file:` URL. */
  to: string | URL;
  /** Excluded by `to`. */
  as?: undefined;
}

/** Gives a Blob; in a page, one that is kept outside the heap. */
export interface AsBlob {
  /** Excluded by `as`. */
  to?: undefined;
  /** A Blob. */
  as: "blob";
}

/** Gives a stream, of bytes that are all in and trusted by then. */
export interface AsStream {
  /** Excluded by `as`. */
  to?: undefined;
  /** A ReadableStream. */
  as: "stream";
}

/** Gives bytes: at most 4 GiB in Node, 2 GiB in a page. */
export interface AsBytes {
  /** Excluded by `as`. */
  to?: undefined;
  /** A Uint8Array. */
  as?: "bytes" | undefined;
}

/** Where a download goes and what the call gives. */
export type OutputOptions = ToPath | AsBlob | AsStream | AsBytes;

export const outputOptionNames = "to,as";

type Output = SavedFile | Blob | ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>;

/** What the bytes of a file go into, of which it is known beforehand how many they are, or not. */
export interface OutputSink extends RereadableSink<Output> {
  /** Throws `RESPONSE_TOO_LARGE` if so many bytes cannot go in. */
  announce?(bytes: number): void;
}

/**
 * Opens what the bytes go into. Nothing of them is given out before it is committed.
 *
 * @throws `INVALID_OPTION`, `CANNOT_WRITE`, `UNSUPPORTED`
 */
export async function openOutput(output: OutputOptions): Promise<OutputSink> {
  checkOutput(output);
  const { to, as = "bytes" } = output;
  if (to !== undefined) return fileSink(to);
  if (as === "bytes") return bytesSink();
  return as === "blob" ? blobOutput() : streamOutput();
}

/** Throws `INVALID_OPTION` for a place or a form that there is not. */
export function checkOutput({ to, as }: OutputOptions): void {
  if (to !== undefined && typeof to !== "string" && !(to instanceof URL))
    throw invalidOption("to", "a path or a file: URL");
  if (as !== undefined && as !== "bytes" && as !== "blob" && as !== "stream") {
    throw invalidOption("as", '"bytes", "blob" or "stream"');
  }
}

async function blobOutput(): Promise<OutputSink> {
  const sink = await blobSink();
  return {
    ...sink,
    async *reread() {
      yield* toChunks((await sink.commit()).stream());
    },
  };
}

async function streamOutput(): Promise<OutputSink> {
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

function bytesSink(): OutputSink {
  let pieces: Uint8Array[] = [];
  let size = 0;

  function announce(bytes: number): void {
    if (bytes > maxArrayBytes) throw tooLargeForArray(bytes);
  }

  return {
    announce,
    async write(piece) {
      size += piece.length;
      announce(size);
      pieces.push(piece);
    },
    async commit() {
      const bytes = allocate(size);
      let at = 0;
      for (const piece of pieces) {
        bytes.set(piece, at);
        at += piece.length;
      }
      pieces = [];
      return bytes;
    },
    async *reread() {
      yield* pieces;
    },
    async abandon() {
      pieces = [];
    },
  };
}

/** A runtime may have less memory at the moment than it allows for. */
function allocate(size: number): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(size);
  } catch {
    throw tooLargeForArray(size);
  }
}
