import { randomBytes } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { account, add, devnetForTests, getApiKey } from "../../../test/support/devnet-wire.ts";

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
  ["bytes=-9999999", 206, [0, 700_000]],
  ["bytes=10-9999999", 206, [10, 700_000]],
  ["Bytes= 10-19 ", 206, [10, 20]],
  ["bytes=9-8", 200, [0, 700_000]],
  ["bytes=0-1,5-6", 200, [0, 700_000]],
  ["lines=1-2", 200, [0, 700_000]],
] as const)("the range %s", async (range, status, [start, end]) => {
  const response = await fetch(`${devnet().endpoints.gateway}/ipfs/${cid}`, { headers: { range } });
  expect(response.status).toBe(status);
  expect(content.subarray(start, end).equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
});

test.each(["bytes=700000-", "bytes=-0"])("the range %s is outside of the content, a 416", async (range) => {
  const response = await fetch(`${devnet().endpoints.gateway}/ipfs/${cid}`, { headers: { range } });
  expect([response.status, response.headers.get("content-range")]).toEqual([416, "bytes */700000"]);
});

test("a range is ignored by HEAD, by POST, and if the client has a part of other content", async () => {
  const { gateway } = devnet().endpoints;
  const range = "bytes=0-9";
  const request = async (url: string, method: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${gateway}${url}`, { method, headers: { range, ...headers } });
    return [response.status, response.headers.get("content-length"), (await response.arrayBuffer()).byteLength];
  };
  const etag = String((await fetch(`${gateway}/ipfs/${cid}`, { method: "HEAD" })).headers.get("etag"));
  expect(etag).toBe(`"${cid}"`);
  expect(await request(`/ipfs/${cid}`, "HEAD")).toEqual([200, "700000", 0]);
  expect(await request(`/api/v0/cat/${cid}`, "POST")).toEqual([200, "700000", 700_000]);
  expect(await request(`/ipfs/${cid}`, "GET", { "if-range": etag })).toEqual([206, "10", 10]);
  for (const other of ['"other"', `W/${etag}`, new Date().toUTCString()]) {
    expect(await request(`/ipfs/${cid}`, "GET", { "if-range": other })).toEqual([200, "700000", 700_000]);
  }
});

test.each(["*", "ETAG", "W/ETAG", '"other", ETAG'])(
  "content that the client has, by %s, is not sent again",
  async (tags) => {
    const headers = { "if-none-match": tags.replace("ETAG", `"${cid}"`) };
    const response = await fetch(`${devnet().endpoints.gateway}/ipfs/${cid}`, { headers });
    expect([response.status, await response.text()]).toEqual([304, ""]);
  },
);

test.each([
  ["offset=699990", 200, [699_990, 700_000]],
  ["offset=5&length=10", 200, [5, 15]],
  ["length=3", 200, [0, 3]],
  ["length=0", 200, [0, 0]],
  ["offset=700001", 200, [0, 0]],
  ["offset=10&length=9999999", 200, [10, 700_000]],
] as const)("POST /api/v0/cat with %s", async (query, status, [start, end]) => {
  const response = await fetch(`${devnet().endpoints.gateway}/api/v0/cat/${cid}?${query}`, { method: "POST" });
  expect(response.status).toBe(status);
  expect(content.subarray(start, end).equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
});

test.each([
  ["offset=-1", 500],
  ["length=-1", 500],
  ["offset=x", 400],
])("POST /api/v0/cat with %s is a %i", async (query, status) => {
  const response = await fetch(`${devnet().endpoints.gateway}/api/v0/cat/${cid}?${query}`, { method: "POST" });
  expect(response.status).toBe(status);
});

test.each([
  ["GET", "/ipfs/nonsense", 400],
  ["GET", "/ipfs/QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn", 404],
  ["POST", "/api/v0/cat/QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn", 404],
  ["GET", "/elsewhere", 404],
] as const)("%s %s is a %i", async (method, path, status) => {
  expect((await fetch(`${devnet().endpoints.gateway}${path}`, { method })).status).toBe(status);
});

test("an empty file", async () => {
  const { gateway } = devnet().endpoints;
  const key = await getApiKey(devnet(), account(devnet(), 0));
  const { Hash } = (await (await add(devnet(), key, { empty: "" })).json()) as { Hash: string };
  const responses = [
    await fetch(`${gateway}/ipfs/${Hash}`),
    await fetch(`${gateway}/api/v0/cat/${Hash}`, { method: "POST" }),
    await fetch(`${gateway}/ipfs/${Hash}`, { headers: { range: "bytes=0-" } }),
  ];
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 416]);
  expect(await responses[0]?.text()).toBe("");
});

test("a folder is listed, not concatenated", async () => {
  const { gateway } = devnet().endpoints;
  const key = await getApiKey(devnet(), account(devnet(), 0));
  const response = await add(devnet(), key, { small: "one wrapped block" }, "cid-version=0");
  const { Hash: small } = (await response.json()) as { Hash: string };
  expect(await (await fetch(`${gateway}/ipfs/${folder}`)).json()).toMatchObject([{ Name: "content" }]);
  expect((await fetch(`${gateway}/api/v0/cat/${folder}`, { method: "POST" })).status).toBe(500);
  for (const path of [`${folder}/missing`, `${folder}/content/below`, `${small}/below`]) {
    expect((await fetch(`${gateway}/ipfs/${path}`)).status).toBe(404);
  }
});
