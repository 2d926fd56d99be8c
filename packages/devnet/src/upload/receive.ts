import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { malformed, readCar } from "../content/car.ts";
import { type Candidate, type Imported, type ImportShape, importTree } from "../content/importer.ts";
import { Refusal } from "../http/json.ts";
import { createParser, readFileParts, readPartPath } from "./parts.ts";
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

/**
 * Reads a multipart body with one CAR file: spools the archive and verifies its blocks in the same pass, then unpacks it.
 *
 * @throws Refusal for a body that is malformed or too large; any other error if the connection ended early.
 */
export async function receiveCar(
  incoming: IncomingMessage,
  { spoolDir, tree, allowance, signal }: ReceiveContext,
): Promise<Received> {
  const parser = createParser(incoming);
  const path = join(spoolDir, "archive");
  try {
    for await (const { filename, stream } of readFileParts(incoming, parser)) {
      const name = readPartPath(filename);
      const index = await readCar(teeToFile(limitBytes(stream, allowance), path));
      if (index.roots.length === 0) throw malformed();
      const archive = await open(path);
      try {
        return await unpack(index, archive, { spoolDir, tree, name, allowance, signal });
      } finally {
        await archive.close();
      }
    }
  } finally {
    incoming.unpipe(parser);
    parser.destroy();
    incoming.resume();
  }
  throw new Refusal(400, "No file in the request");
}

async function* limitBytes(stream: AsyncIterable<Uint8Array>, allowance: number): AsyncGenerator<Uint8Array> {
  let remaining = allowance;
  for await (const chunk of stream) {
    remaining -= chunk.byteLength;
    if (remaining < 0) throw new Refusal(403, "Data limit exceeded");
    yield chunk;
  }
}

/** Bytes buffered per file while the disk is busy. */
const WRITE_BUFFER_BYTES = 1024 * 1024;

/**
 * Yields the chunks of `source` and also writes them to `path`, no faster than the disk accepts them. The file is complete
 * when the generator ends; if either side fails, nothing more is written.
 */
async function* teeToFile(source: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array> {
  const sink = createWriteStream(path, { highWaterMark: WRITE_BUFFER_BYTES });
  // a write that is pending when the source fails emits an error that nothing else handles
  sink.on("error", () => {});
  try {
    for await (const chunk of source) {
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
