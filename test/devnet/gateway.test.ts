import { randomBytes } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { account, add, devnetForTests, getApiKey } from "../support/devnet-wire.ts";

const devnet = devnetForTests();
const content = randomBytes(700_000);
let cid = "";
let folder = "";
beforeAll(async () => {
  const key = await getApiKey(devnet(), account(devnet(), 0));
  cid = ((await (await add(devnet(), key, { content })).json()) as { Hash: string }).Hash;
  folder = ((await (await add(devnet(), key, { "d/content": content })).json()) as { Hash: string }).Hash;
});

test("POST /api/v0/cat returns the bytes and their number", async () => {
  const response = await fetch(`${devnet().endpoints.gateway}/api/v0/cat/${cid}`, { method: "POST" });
  expect([response.status, response.headers.get("content-length")]).toEqual([200, "700000"]);
  expect(content.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
});

test.each([
  ["bytes=0-9", 206, [0, 10]],
  ["bytes=699990-", 206, [699_990, 700_000]],
  ["bytes=-5", 206, [699_995, 700_000]],
  ["bytes=10-9999999", 206, [10, 700_000]],
  ["bytes=0-1,5-6", 200, [0, 700_000]],
  ["lines=1-2", 200, [0, 700_000]],
] as const)("the range %s", async (range, status, [start, end]) => {
  const response = await fetch(`${devnet().endpoints.gateway}/ipfs/${cid}`, { headers: { range } });
  expect(response.status).toBe(status);
  expect(content.subarray(start, end).equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
});

test("a range outside of the content is a 416", async () => {
  const response = await fetch(`${devnet().endpoints.gateway}/ipfs/${cid}`, { headers: { range: "bytes=700000-" } });
  expect([response.status, response.headers.get("content-range")]).toEqual([416, "bytes */700000"]);
});

test.each([
  ["GET", "/ipfs/nonsense", 400],
  ["GET", "/ipfs/QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn", 404],
  ["POST", "/api/v0/cat/QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn", 404],
  ["GET", "/elsewhere", 404],
] as const)("%s %s is a %i", async (method, path, status) => {
  expect((await fetch(`${devnet().endpoints.gateway}${path}`, { method })).status).toBe(status);
});

test("a folder is listed, not concatenated", async () => {
  const { gateway } = devnet().endpoints;
  expect(await (await fetch(`${gateway}/ipfs/${folder}`)).json()).toMatchObject([{ Name: "content" }]);
  expect((await fetch(`${gateway}/api/v0/cat/${folder}`, { method: "POST" })).status).toBe(500);
  expect((await fetch(`${gateway}/ipfs/${folder}/missing`)).status).toBe(404);
});
