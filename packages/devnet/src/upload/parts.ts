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
  const waiting: FilePart[] = [];
  let end: { error?: unknown } | undefined;
  let wake = () => {};

  const finish = (error?: unknown) => {
    end ??= error === undefined ? {} : { error };
    wake();
  };
  parser.on("file", (field, stream, { filename, mimeType }) => {
    // the reader of the stream handles its errors; those of a skipped part are irrelevant
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
  // also detects a connection that ended before this call
  const stopListening = finished(incoming, { writable: false }, (error) => {
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
    stopListening();
  }
}

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
