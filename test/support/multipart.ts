import type { IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import busboy from "busboy";

/** One file of a multipart body, as busboy parses it. */
export interface ParsedPart {
  field: string;
  /** With the escapes of browsers decoded. */
  filename: string;
  type: string;
  bytes: Buffer;
}

/** Parses a body into its parts, in order. */
export async function parseMultipart(headers: IncomingHttpHeaders, body: Uint8Array): Promise<ParsedPart[]> {
  const parser = busboy({ headers, preservePath: true, defParamCharset: "utf8" });
  const parts: Promise<ParsedPart>[] = [];
  parser.on("file", (field, stream, { filename, mimeType }) => {
    parts.push(buffer(stream).then((bytes) => ({ field, filename: unescapeName(filename), type: mimeType, bytes })));
  });
  await new Promise<void>((resolve, reject) => {
    parser.once("close", resolve).once("error", reject);
    parser.end(body);
  });
  return Promise.all(parts);
}

/** Decodes the escapes of the WHATWG form encoding, so that names can be compared. */
function unescapeName(filename: string): string {
  return filename.replace(/%0D/g, "\r").replace(/%0A/g, "\n").replace(/%22/g, '"');
}
