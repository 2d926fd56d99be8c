import { fileSink, spool } from "#platform";
import { invalidOption } from "../errors/input.ts";
import type { SavedFile, Sink } from "../platform/contract.ts";

/** Where a download goes and what the call gives. */
export type OutputOptions =
  /** In Node: writes to this path, where the file appears whole or not at all; gives a {@link SavedFile}. */
  | { to: string | URL; as?: undefined }
  /** Gives bytes, a Blob, or a stream. Default `bytes`, which the runtime limits to a few GiB. */
  | { to?: undefined; as?: "bytes" | "blob" | "stream" | undefined };

/** What a call with these options gives. */
export type OutputOf<Options> = Options extends { to: string | URL }
  ? SavedFile
  : Options extends { as: "blob" }
    ? Blob
    : Options extends { as: "stream" }
      ? ReadableStream<Uint8Array>
      : Uint8Array<ArrayBuffer>;

type Output = SavedFile | Blob | ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>;

/**
 * Opens what the bytes go into. Nothing of them is given out before it is committed.
 *
 * @throws `INVALID_OPTION`, `CANNOT_WRITE`, `UNSUPPORTED`
 */
export async function openOutput({ to, as = "bytes" }: OutputOptions): Promise<Sink<Output>> {
  if (to !== undefined) return fileSink(to);
  if (as === "bytes") return bytesSink();
  if (as !== "blob" && as !== "stream") throw invalidOption("as", '"bytes", "blob" or "stream"');
  const spooled = await spool();
  return {
    write: spooled.write,
    abandon: spooled.abandon,
    async commit() {
      const kept = await spooled.commit();
      return as === "blob" ? kept.blob() : kept.stream();
    },
  };
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
