import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { type Candidate, type Imported, type ImportShape, importTree } from "../content/importer.ts";
import { Refusal } from "../http/json.ts";
import { partPath } from "./part-name.ts";
import { fileParts, openParser } from "./parts.ts";
import { type Received, receivedTree, type SpooledFile } from "./received.ts";
import { teeToFile } from "./tee-file.ts";

/**
 * Reads a multipart body: each file goes to the spool and through the importer in the same pass, and
 * never rests in memory.
 *
 * @param allowance bytes of content that may come in.
 * @throws Refusal for a body that is not what it should be or is too large; any other error when the
 * connection ended early.
 */
export async function receive(
  incoming: IncomingMessage,
  spoolDir: string,
  shape: ImportShape,
  allowance: number,
): Promise<Received> {
  const parser = openParser(incoming);
  const arrived: Pick<SpooledFile, "spooled" | "bytes" | "mimeType">[] = [];
  let left = allowance;

  async function* count(stream: AsyncIterable<Uint8Array>, file: (typeof arrived)[number]): AsyncGenerator<Uint8Array> {
    for await (const chunk of stream) {
      left -= chunk.byteLength;
      if (left < 0) throw new Refusal(403, "Data limit exceeded");
      file.bytes += chunk.byteLength;
      yield chunk;
    }
  }

  async function* candidates(): AsyncGenerator<Candidate> {
    for await (const part of fileParts(incoming, parser)) {
      const path = partPath(part.filename);
      if (part.mimeType === "application/x-directory") {
        part.stream.resume();
        yield { path };
        continue;
      }
      const mimeType = part.mimeType === "application/octet-stream" ? null : part.mimeType;
      const file = { spooled: join(spoolDir, String(arrived.length)), bytes: 0, mimeType };
      arrived.push(file);
      yield { path, content: teeToFile(count(part.stream, file), file.spooled) };
    }
  }

  const files: SpooledFile[] = [];
  const folders: Imported[] = [];
  try {
    for await (const imported of importTree(candidates(), shape)) {
      // files come out of the importer in the order they went in
      const file = arrived[files.length];
      if (imported.isFolder || !file) folders.push(imported);
      else files.push({ ...imported, ...file });
    }
  } finally {
    incoming.unpipe(parser);
    parser.destroy();
    // whatever is still under way is read and thrown away, so that the sender gets to see the answer
    incoming.resume();
  }
  if (files.length + folders.length === 0) throw new Refusal(400, "No file in the request");
  return receivedTree(files, folders);
}
