import { Readable } from "node:stream";
import { CHUNK_BYTES } from "../../config/limits.ts";
import { sourceChanged } from "../../errors/source.ts";
import type { SourceFile, UploadBody } from "../types.ts";
import { createFraming, type MultipartFraming } from "./multipart.ts";

/** Encryption, too, happens while the body is sent. */
export const preparesBody = false;

/** As browsers do: what a File or a Blob says of itself, and of anything else that it is bytes. */
function contentTypeOf({ blob }: SourceFile): string {
  return blob?.type || "application/octet-stream";
}

/**
 * A multipart body that is made while it is sent, one open source at a time. Its length is announced
 * where all sizes are known; otherwise it goes out chunked.
 */
export async function uploadBody(
  parts: readonly SourceFile[],
  options: { signal: AbortSignal | undefined; onSent?: (bytes: number) => void },
): Promise<UploadBody> {
  const framing = createFraming();
  const stop = new AbortController();
  let failure: unknown;
  let complete = false;
  let left = true;

  async function* make(): AsyncGenerator<Uint8Array> {
    let sent = 0;
    try {
      for (const part of parts) {
        yield framing.head(part.name, contentTypeOf(part));
        for await (const piece of exactly(part, stop.signal)) {
          yield piece;
          sent += piece.length;
          options.onSent?.(sent);
        }
        yield framing.foot;
      }
      yield framing.end;
      complete = true;
    } catch (error) {
      failure = error;
      throw error;
    }
  }

  const data = Readable.from(make(), { objectMode: false, highWaterMark: CHUNK_BYTES });
  const length = bodyLength(parts, framing);
  return {
    data,
    headers: {
      "Content-Type": framing.contentType,
      ...(length === undefined ? {} : { "Content-Length": String(length) }),
    },
    // What was made may wait yet for a connection that never came about.
    onFailure(request) {
      left =
        !(typeof request === "object" && request !== null && "writableFinished" in request) ||
        !!request.writableFinished;
    },
    complete: () => complete && left,
    failure: async () => failure,
    async dispose() {
      stop.abort();
      data.on("error", () => undefined);
      if (data.closed) return;
      const closed = new Promise<void>((resolve) => data.once("close", resolve));
      data.destroy();
      await closed;
    },
  };
}

/** A source's bytes, refused as soon as they are more or fewer than was announced. */
async function* exactly(part: SourceFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let got = 0;
  for await (const piece of part.open(signal)) {
    got += piece.length;
    if (part.size !== undefined && got > part.size) throw sourceChanged(part.name, part.size, got);
    if (piece.length > 0) yield piece;
  }
  if (part.size !== undefined && got !== part.size) throw sourceChanged(part.name, part.size, got);
}

function bodyLength(parts: readonly SourceFile[], framing: MultipartFraming): number | undefined {
  let length = framing.end.length;
  for (const part of parts) {
    if (part.size === undefined) return undefined;
    length += framing.head(part.name, contentTypeOf(part)).length + part.size + framing.foot.length;
  }
  return length;
}
