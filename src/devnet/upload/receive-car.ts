import { open } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { readCar } from "../car/read-car.ts";
import { unpack } from "../car/unpack.ts";
import { Refusal } from "../http/json.ts";
import { partPath } from "./part-name.ts";
import { fileParts, openParser } from "./parts.ts";
import type { Received } from "./received.ts";
import { teeToFile } from "./tee-file.ts";

/**
 * Reads a multipart body with one CAR file: it goes to the spool, its blocks are checked on the way, and
 * what its roots stand for is made from there.
 *
 * @param allowance bytes of content that may come in.
 * @param gone ends the unpacking.
 * @throws Refusal for a body that is not what it should be or is too large; any other error when the
 * connection ended early.
 */
export async function receiveCar(
  incoming: IncomingMessage,
  spoolDir: string,
  allowance: number,
  gone: AbortSignal,
): Promise<Received> {
  const parser = openParser(incoming);
  const path = join(spoolDir, "archive");
  try {
    for await (const { filename, stream } of fileParts(incoming, parser)) {
      const name = partPath(filename);
      const index = await readCar(teeToFile(within(stream, allowance), path));
      const archive = await open(path);
      try {
        return await unpack(index, archive, { spoolDir, name, allowance, signal: gone });
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

async function* within(stream: AsyncIterable<Uint8Array>, allowance: number): AsyncGenerator<Uint8Array> {
  let left = allowance;
  for await (const chunk of stream) {
    left -= chunk.byteLength;
    if (left < 0) throw new Refusal(403, "Data limit exceeded");
    yield chunk;
  }
}
