import type { IncomingMessage } from "node:http";
import { finished, type Readable } from "node:stream";
import busboy from "busboy";
import { Refusal } from "../http/json.ts";

/** One file of a multipart body. */
export interface FilePart {
  filename: string;
  mimeType: string;
  stream: Readable;
}

/**
 * The `file` parts of a body, in order. Each must be read before the next one comes; other parts are
 * skipped.
 */
export async function* fileParts(incoming: IncomingMessage, parser: busboy.Busboy): AsyncGenerator<FilePart> {
  const waiting: FilePart[] = [];
  let end: { error?: unknown } | undefined;
  let wake = () => {};

  const finish = (error?: unknown) => {
    end ??= error === undefined ? {} : { error };
    wake();
  };
  parser.on("file", (field, stream, { filename, mimeType }) => {
    // the reader of the stream reports its errors; a skipped one has none that matter
    stream.on("error", () => {});
    if (field !== "file") return void stream.resume();
    waiting.push({ filename: filename ?? "blob", mimeType, stream });
    wake();
  });
  parser.once("close", () => finish());
  parser.on("error", (error) => {
    const cut = incoming.destroyed && !incoming.complete;
    finish(cut ? error : new Refusal(400, "Malformed multipart body"));
  });
  // a connection that ended before anybody listened is noticed as well
  const stopWatching = finished(incoming, { writable: false }, (error) => {
    if (error) parser.destroy(error);
  });
  incoming.pipe(parser);
  try {
    while (true) {
      const part = waiting.shift();
      if (part) yield part;
      else if (end) break;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    if (end?.error !== undefined) throw end.error;
  } finally {
    stopWatching();
  }
}

/** A parser of the body, which is refused with 400 if it is no multipart one. */
export function openParser(incoming: IncomingMessage): busboy.Busboy {
  try {
    return busboy({
      headers: incoming.headers,
      preservePath: true,
      defParamCharset: "utf8",
      limits: { fields: 100, fieldSize: 64 * 1024 },
    });
  } catch {
    throw new Refusal(400, "Expected a multipart body");
  }
}
