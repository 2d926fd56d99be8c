import { on } from "node:events";
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
 * Returns what `read` makes of the `file` parts of a multipart body.
 *
 * @throws Refusal 400 if the body is not multipart.
 */
export async function readParts<Result>(
  incoming: IncomingMessage,
  read: (parts: AsyncIterable<FilePart>) => Promise<Result>,
): Promise<Result> {
  const parser = createParser(incoming);
  try {
    return await read(listFileParts(incoming, parser));
  } finally {
    incoming.unpipe(parser);
    parser.destroy();
    // drains the rest of the body, so that the sender receives the response
    incoming.resume();
  }
}

function createParser(incoming: IncomingMessage): busboy.Busboy {
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

/** Yields the `file` parts of a body in order; skips other parts. Each must be read before the next one arrives. */
async function* listFileParts(incoming: IncomingMessage, parser: busboy.Busboy): AsyncGenerator<FilePart> {
  // also after the reader has stopped
  parser.on("error", () => {});
  parser.on("file", (field, stream) => {
    // the reader of the stream handles its errors; those of a skipped part are irrelevant
    stream.on("error", () => {});
    if (field !== "file") stream.resume();
  });
  const parts = on(parser, "file", { close: ["close"] });
  // also detects a connection that ended before this call
  const stopListening = finished(incoming, { writable: false }, (error) => {
    if (error) parser.destroy(error);
  });
  incoming.pipe(parser);
  try {
    for await (const [field, stream, { filename, mimeType }] of parts as AsyncIterable<FileEvent>) {
      if (field === "file") yield { filename: filename ?? "blob", mimeType, stream };
    }
  } catch (error) {
    const isCut = incoming.destroyed && !incoming.complete;
    throw isCut ? error : new Refusal(400, "Malformed multipart body");
  } finally {
    stopListening();
  }
}

type FileEvent = Parameters<busboy.BusboyEvents["file"]>;

const escapes: Readonly<Record<string, string>> = { "%22": '"', "%0D": "\r", "%0A": "\n" };

/** Maximum names in a path: the importer recurses into folders and would overflow the stack. */
const MAX_NAMES = 1_000;

/**
 * Reads the path in the file name of a multipart part; decodes the three escapes that browsers use there.
 *
 * @throws Refusal 400 for a path that leads outside, is too deep, or would be split wrongly by the importer.
 */
export function readPartPath(filename: string): string {
  const name = filename.replace(/%(?:22|0D|0A)/gi, (escaped) => escapes[escaped.toUpperCase()] ?? escaped);
  const segments = name.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.length === 0 || segments.includes("..") || name.includes("\0") || name.includes("\\/")) {
    throw new Refusal(400, "Invalid file name");
  }
  if (segments.length > MAX_NAMES) throw new Refusal(400, "Path too deep");
  return segments.join("/");
}
