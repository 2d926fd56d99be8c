import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { download } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { createServer } from "../support/http-server.ts";
import { startGateway } from "./stand-in.ts";
import { makeBytes, shapes, storeFile } from "./trees.ts";

/** Starts a gateway that sends no blocks, and a file that never ends. */
const startEndless = () =>
  createServer((request, response) => {
    if (request.method !== "POST") return void response.writeHead(404).end();
    const more = () => {
      while (!response.destroyed && response.write(new Uint8Array(64 * 1024)));
      response.once("drain", more);
    };
    more();
  });

test("a file without end, of which no gateway sends blocks, ends with the time limit, and another gateway is tried", async () => {
  const bytes = makeBytes(1_200_345);
  const { cid, blocks } = await storeFile(bytes, shapes["256 KiB, version 1"]);
  const [endless, whole] = await Promise.all([startEndless(), startGateway(blocks, { ways: ["whole"] })]);
  const folder = await scratch();
  const to = join(folder, "film");
  const timeoutMs = 2_000;
  expect((await failure(download(cid, { to, endpoints: { gateway: endless.url }, timeoutMs }))).code).toBe("TIMEOUT");
  expect(await readdir(folder)).toEqual([]);
  await download(cid, { to, endpoints: { gateway: [endless.url, whole.url] }, timeoutMs });
  expect(Buffer.compare(await readFile(to), bytes)).toBe(0);
});
