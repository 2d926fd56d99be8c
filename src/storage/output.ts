import { blobSink, fileSink, spool } from "#platform";
import { invalidOption } from "../errors/input.ts";
import type { SavedFile, Sink } from "../platform/contract.ts";

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

/** Gives bytes, which the runtime limits to a few GiB. */
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

/**
 * Opens what the bytes go into. Nothing of them is given out before it is committed.
 *
 * @throws `INVALID_OPTION`, `CANNOT_WRITE`, `UNSUPPORTED`
 */
export async function openOutput(output: OutputOptions): Promise<Sink<Output>> {
  checkOutput(output);
  const { to, as = "bytes" } = output;
  if (to !== undefined) return fileSink(to);
  if (as === "bytes") return bytesSink();
  if (as === "blob") return blobSink();
  const spooled = await spool();
  return {
    write: spooled.write,
    abandon: spooled.abandon,
    commit: async () => (await spooled.commit()).stream(),
  };
}

/** Throws `INVALID_OPTION` for a place or a form that there is not. */
export function checkOutput({ to, as }: OutputOptions): void {
  if (to !== undefined && typeof to !== "string" && !(to instanceof URL))
    throw invalidOption("to", "a path or a file: URL");
  if (as !== undefined && as !== "bytes" && as !== "blob" && as !== "stream") {
    throw invalidOption("as", '"bytes", "blob" or "stream"');
  }
}

function bytesSink(): Sink<Uint8Array<ArrayBuffer>> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  return {
    async write(piece) {
      pieces.push(piece);
      size += piece.length;
    },
    async commit() {
      const bytes = new Uint8Array(size);
      let at = 0;
      for (const piece of pieces) {
        bytes.set(piece, at);
        at += piece.length;
      }
      pieces = [];
      return bytes;
    },
    async abandon() {
      pieces = [];
    },
  };
}
