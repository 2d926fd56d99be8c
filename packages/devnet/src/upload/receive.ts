import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { type Candidate, type Imported, type ImportShape, importTree } from "../content/importer.ts";
import { Refusal } from "../http/json.ts";
import { readPartPath } from "./part-name.ts";
import { createParser, readFileParts } from "./parts.ts";
import { buildReceivedTree, type ReceiveContext, type Received, type SpooledFile } from "./received.ts";
import { teeToFile } from "./tee-file.ts";

/**
 * Reads a multipart body: spools and imports each file in the same pass, without holding it in memory.
 *
 * @throws Refusal for a body that is malformed or too large; any other error if the connection ended early.
 */
export async function receive(
  incoming: IncomingMessage,
  { spoolDir, tree, allowance }: ReceiveContext,
  shape: ImportShape,
): Promise<Received> {
  const parser = createParser(incoming);
  const arrived: Pick<SpooledFile, "spooled" | "bytes" | "mimeType">[] = [];
  let remaining = allowance;

  async function* count(stream: AsyncIterable<Uint8Array>, file: (typeof arrived)[number]): AsyncGenerator<Uint8Array> {
    for await (const chunk of stream) {
      remaining -= chunk.byteLength;
      if (remaining < 0) throw new Refusal(403, "Data limit exceeded");
      file.bytes += chunk.byteLength;
      yield chunk;
    }
  }

  async function* candidates(): AsyncGenerator<Candidate> {
    for await (const part of readFileParts(incoming, parser)) {
      const path = readPartPath(part.filename);
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
    for await (const imported of importTree(candidates(), shape, tree.add)) {
      // the importer yields files in their original order
      const file = arrived[files.length];
      if (imported.isFolder || !file) folders.push(imported);
      else files.push({ ...imported, ...file });
    }
  } finally {
    incoming.unpipe(parser);
    parser.destroy();
    // drains the rest of the body, so that the sender receives the response
    incoming.resume();
  }
  if (files.length + folders.length === 0) throw new Refusal(400, "No file in the request");
  return buildReceivedTree(files, folders);
}
