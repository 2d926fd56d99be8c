import { open } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { malformed, readCar } from "../car/read-car.ts";
import { unpack } from "../car/unpack.ts";
import { Refusal } from "../http/json.ts";
import { readPartPath } from "./part-name.ts";
import { createParser, readFileParts } from "./parts.ts";
import type { ReceiveContext, Received } from "./received.ts";
import { teeToFile } from "./tee-file.ts";

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
