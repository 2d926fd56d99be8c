import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { MALFORMED_CAR, readCar } from "../content/car.ts";
import { type Candidate, type Imported, type ImportShape, importTree } from "../content/importer.ts";
import { Refusal } from "../http/json.ts";
import { type FilePart, readPartPath, readParts } from "./parts.ts";
import { buildReceivedTree, type ReceiveContext, type Received, type SpooledFile } from "./received.ts";
import { unpack } from "./unpack.ts";

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
  const arrived: Pick<SpooledFile, "spooled" | "bytes" | "mimeType">[] = [];
  const limit = createLimit(allowance);

  async function* listCandidates(parts: AsyncIterable<FilePart>): AsyncGenerator<Candidate> {
    for await (const part of parts) {
      const path = readPartPath(part.filename);
      if (part.mimeType === "application/x-directory") {
        part.stream.resume();
        yield { path };
        continue;
      }
      const mimeType = part.mimeType === "application/octet-stream" ? null : part.mimeType;
      const file = { spooled: join(spoolDir, String(arrived.length)), bytes: 0, mimeType };
      arrived.push(file);
      const count = (bytes: number) => {
        limit(bytes);
        file.bytes += bytes;
      };
      yield { path, content: teeToFile(part.stream, file.spooled, count) };
    }
  }

  const files: SpooledFile[] = [];
  const folders: Imported[] = [];
  await readParts(incoming, async (parts) => {
    for await (const imported of importTree(listCandidates(parts), shape, tree.add)) {
      // the importer yields files in their original order
      const file = arrived[files.length];
      if (imported.isFolder || !file) folders.push(imported);
      else files.push({ ...imported, ...file });
    }
  });
  if (files.length + folders.length === 0) throw new Refusal(400, NO_FILE);
  return buildReceivedTree(files, folders);
}

/**
 * Reads a multipart body with one CAR file: spools the archive and verifies its blocks in the same pass, then unpacks it.
 *
 * @throws Refusal for a body that is malformed or too large; any other error if the connection ended early.
 */
export async function receiveCar(incoming: IncomingMessage, context: ReceiveContext): Promise<Received> {
  const path = join(context.spoolDir, "archive");
  return readParts(incoming, async (parts) => {
    for await (const { filename, stream } of parts) {
      const name = readPartPath(filename);
      const index = await readCar(teeToFile(stream, path, createLimit(context.allowance)));
      if (index.roots.length === 0) throw new Refusal(400, MALFORMED_CAR);
      const archive = await open(path);
      try {
        return await unpack(index, archive, name, context);
      } finally {
        await archive.close();
      }
    }
    throw new Refusal(400, NO_FILE);
  });
}

const NO_FILE = "No file in the request";

/** Returns a function that counts bytes, and refuses those above `allowance` with 403. */
function createLimit(allowance: number): (bytes: number) => void {
  let remaining = allowance;
  return (bytes) => {
    remaining -= bytes;
    if (remaining < 0) throw new Refusal(403, "Data limit exceeded");
  };
}

/** Bytes buffered per file while the disk is busy. */
const WRITE_BUFFER_BYTES = 1024 * 1024;

/**
 * Yields the chunks of `source` and also writes them to `path`, no faster than the disk accepts them. The file is complete
 * when the generator ends; if either side or `count` fails, nothing more is written.
 */
async function* teeToFile(source: AsyncIterable<Uint8Array>, path: string, count: (bytes: number) => void) {
  const sink = createWriteStream(path, { highWaterMark: WRITE_BUFFER_BYTES });
  // a write that is pending when the source fails emits an error that nothing else handles
  sink.on("error", () => {});
  try {
    for await (const chunk of source) {
      count(chunk.byteLength);
      if (sink.errored) throw sink.errored;
      if (!sink.write(chunk)) await once(sink, "drain");
      yield chunk;
    }
    sink.end();
    await finished(sink);
  } finally {
    sink.destroy();
    // until it is closed, it could still create its file in a folder that is being removed
    if (!sink.closed) await new Promise<void>((resolve) => sink.once("close", () => resolve()));
  }
}
