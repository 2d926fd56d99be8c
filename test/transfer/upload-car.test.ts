import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { uploadCar } from "../../src/storage/upload/upload.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";

const root = { Name: "site.car", Hash: "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e", Size: "100000" };

test("an archive on disk is sent unchanged, and its progress is reported", async () => {
  const path = `${await scratch()}/site.car`;
  const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 251));
  await writeFile(path, bytes);
  const server = await createServer((_, response) => sendJson(response, root));
  const fractions: number[] = [];
  const stored = await uploadCar(path, {
    apiKey: "key",
    endpoints: endpointsAt(server.url),
    onProgress: ({ fraction }) => fractions.push(fraction),
  });
  expect(stored).toEqual([root]);
  expect(server.requests[0]?.body.includes(bytes)).toBe(true);
  expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
  expect(fractions.at(-1)).toBe(1);
});

test("a source that fails during the upload throws its own error", async () => {
  const { url } = await createServer((_, response) => sendJson(response, root));
  async function* short() {
    yield new Uint8Array(10);
  }
  const options = { apiKey: "key", endpoints: endpointsAt(url) };
  expect((await failure(uploadCar({ name: "a.car", size: 11, stream: short() }, options))).code).toBe("SOURCE_CHANGED");
});

test("an abort during the upload ends it", async () => {
  const controller = new AbortController();
  const { url } = await createServer(() => controller.abort(), { read: false });
  const options = { apiKey: "key", endpoints: endpointsAt(url), signal: controller.signal };
  expect((await failure(uploadCar(new Uint8Array(1_000_000), options))).code).toBe("ABORTED");
});
