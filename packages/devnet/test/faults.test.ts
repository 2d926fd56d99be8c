import { randomBytes } from "node:crypto";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { account, add, devnetForTests, getApiKey, getJwt, send } from "../../../test/support/devnet-wire.ts";
import type { Fault } from "../src/index.ts";

const devnet = devnetForTests();
afterEach(() => {
  devnet().faults.clear();
  for (const node of [1, 2, 3, 4, 5]) devnet().startNode(node);
});

let token = "";
const shard = { key: randomBytes(32).toString("hex"), index: "07" };
const asOwner = () => ({ address: account(devnet(), 0).address, cid: "some-file" });
beforeAll(async () => {
  token = (await getJwt(devnet(), account(devnet(), 0))).token;
  for (const node of [1, 2, 3, 4, 5]) {
    const url = `${devnet().endpoints.keyNodes}/api/setSharedKey/${node}`;
    await send("POST", url, { ...asOwner(), payload: shard }, token);
  }
});

const retrieve = (node: number) =>
  send("POST", `${devnet().endpoints.keyNodes}/api/retrieveSharedKey/${node}`, asOwner(), token);
const retrieveRaw = (node: number, init: RequestInit = {}) =>
  fetch(`${devnet().endpoints.keyNodes}/api/retrieveSharedKey/${node}`, {
    method: "POST",
    body: JSON.stringify(asOwner()),
    headers: { authorization: `Bearer ${token}` },
    ...init,
  });
const whole = { status: 200, body: { payload: shard } };

const broken = { kind: "respond", status: 503, json: { message: "broken" } } as const;

describe("which requests a fault hits", () => {
  test("one node, and not the others", async () => {
    devnet().faults.add({ service: "keyNodes", node: 2, action: broken });
    expect((await retrieve(2)).status).toBe(503);
    expect(await retrieve(3)).toEqual(whole);
  });

  test("one service, and not the others", async () => {
    devnet().faults.add({ service: "gateway", action: broken });
    expect(await retrieve(1)).toEqual(whole);
    expect((await fetch(`${devnet().endpoints.gateway}/ipfs/x`)).status).toBe(503);
  });

  test("a settlement: only requests with a payment", async () => {
    const url = `${devnet().endpoints.x402}/health`;
    const headers = { "payment-signature": "x" };
    const remove = devnet().faults.add({ service: "x402", times: 1, action: { kind: "settle", how: "fail" } });
    devnet().faults.add({ service: "x402", action: broken });
    const statuses: number[] = [];
    for (const init of [{}, { headers }, { headers }]) statuses.push((await fetch(url, init)).status);
    // the first of the faults that hit a request is applied
    expect(statuses).toEqual([503, 200, 503]);
    remove();
  });

  test("one method", async () => {
    devnet().faults.add({ service: "keyNodes", method: "delete", action: broken });
    expect(await retrieve(1)).toEqual(whole);
  });

  test.each<[Fault["path"], number]>([
    ["/api/retrieve", 503],
    ["/api/set", 200],
    [/SharedKey\/\d$/g, 503],
  ])("paths that match %s", async (path, status) => {
    devnet().faults.add({ service: "keyNodes", action: broken, ...(path === undefined ? {} : { path }) });
    expect([(await retrieve(1)).status, (await retrieve(1)).status]).toEqual([status, status]);
  });

  test("only after and only for the stated numbers of requests", async () => {
    devnet().faults.add({ service: "keyNodes", after: 1, times: 2, action: broken });
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) statuses.push((await retrieve(1)).status);
    expect(statuses).toEqual([200, 503, 503, 200]);
  });

  test("until it is removed", async () => {
    const mend = devnet().faults.add({ service: "keyNodes", action: broken });
    expect((await retrieve(1)).status).toBe(503);
    mend();
    expect(await retrieve(1)).toEqual(whole);
  });
});

describe("what a fault does", () => {
  test("responds with a status, headers and HTML", async () => {
    const headers = { "Retry-After": "7" };
    devnet().faults.add({
      service: "keyNodes",
      action: { kind: "respond", status: 502, text: "<h1>Bad</h1>", headers },
    });
    const response = await retrieveRaw(1);
    expect([response.status, response.headers.get("retry-after"), await response.text()]).toEqual([
      502,
      "7",
      "<h1>Bad</h1>",
    ]);
  });

  test("responds with a null payload, or with garbage", async () => {
    devnet().faults.add({ service: "keyNodes", node: 1, action: { kind: "respond", json: { payload: null } } });
    devnet().faults.add({ service: "keyNodes", node: 2, action: { kind: "respond", text: '{"payl' } });
    expect(await retrieve(1)).toEqual({ status: 200, body: { payload: null } });
    expect(await (await retrieveRaw(2)).text()).toBe('{"payl');
  });

  test("serves the request, and discards the service's response", async () => {
    const saved = { key: randomBytes(32).toString("hex"), index: "09" };
    const body = { ...asOwner(), cid: "another-file" };
    devnet().faults.add({ service: "keyNodes", times: 1, action: { ...broken, served: true } });
    const url = (call: string) => `${devnet().endpoints.keyNodes}/api/${call}/1`;
    expect(await send("POST", url("setSharedKey"), { ...body, payload: saved }, token)).toEqual({
      status: 503,
      body: { message: "broken" },
    });
    expect(await send("POST", url("retrieveSharedKey"), body, token)).toEqual({
      status: 200,
      body: { payload: saved },
    });

    const owner = account(devnet(), 1);
    const apiKey = await getApiKey(devnet(), owner);
    devnet().faults.add({ service: "upload", times: 1, action: { ...broken, status: 500, served: true } });
    const response = await add(devnet(), apiKey, { a: "stored regardless" });
    expect([response.status, await response.json()]).toEqual([500, { message: "broken" }]);
    const listing = `${devnet().endpoints.api}/api/user/files_uploaded?lastKey=null`;
    const { body: listed } = await send("GET", listing, undefined, apiKey);
    expect(listed).toMatchObject({ totalFiles: 1, fileList: [{ fileName: "a" }] });
  });

  test("resets the connection", async () => {
    devnet().faults.add({ service: "keyNodes", action: { kind: "reset" } });
    await expect(retrieve(1)).rejects.toThrow("fetch failed");
  });

  test("delays the response", async () => {
    devnet().faults.add({ service: "keyNodes", node: 1, action: { kind: "delay", ms: 20 } });
    expect(await retrieve(1)).toEqual(whole);
    devnet().faults.add({ service: "keyNodes", node: 2, action: { kind: "delay", ms: 600_000 } });
    const controller = new AbortController();
    const delayed = retrieveRaw(2, { signal: controller.signal }).catch(() => "still waiting");
    expect(await Promise.race([delayed, retrieve(3)])).toEqual(whole);
    controller.abort();
    expect(await delayed).toBe("still waiting");
  });

  test("never responds", async () => {
    devnet().faults.add({ service: "keyNodes", action: { kind: "hang" } });
    await expect(retrieveRaw(1, { signal: AbortSignal.timeout(150) })).rejects.toThrow("timeout");
  });

  test("forges the shard, which looks valid and is not", async () => {
    devnet().faults.add({ service: "keyNodes", node: 4, action: { kind: "wrong-shard" } });
    const { payload } = (await retrieve(4)).body as { payload: { key: string; index: string } };
    expect(payload).toEqual({ key: expect.stringMatching(/^[0-9a-f]{64}$/), index: shard.index });
    expect(payload.key).not.toBe(shard.key);
    expect(await retrieve(3)).toEqual(whole);
  });

  test.each([0, 1, 100_000])("cuts the response after %i bytes", async (atByte) => {
    const key = await getApiKey(devnet(), account(devnet(), 1));
    const content = randomBytes(300_000);
    const { Hash } = (await (await add(devnet(), key, { content })).json()) as { Hash: string };
    devnet().faults.add({ service: "gateway", action: { kind: "cut", atByte } });
    const response = await fetch(`${devnet().endpoints.gateway}/ipfs/${Hash}`);
    expect(response.headers.get("content-length")).toBe("300000");
    const chunks: Uint8Array[] = [];
    const read = async () => {
      for await (const chunk of response.body ?? []) chunks.push(chunk);
    };
    await expect(read()).rejects.toThrow("terminated");
    expect(content.subarray(0, atByte).equals(Buffer.concat(chunks))).toBe(true);
  });

  test("resets an upload midway", async () => {
    const key = await getApiKey(devnet(), account(devnet(), 1));
    devnet().faults.add({ service: "upload", action: { kind: "reset", afterBytes: 100_000 } });
    await expect(add(devnet(), key, { content: randomBytes(5_000_000) })).rejects.toThrow("fetch failed");
    devnet().faults.clear();
    expect((await add(devnet(), key, { content: "x" })).status).toBe(200);
  });
});

describe("stopped nodes", () => {
  test("reset connections, and have their data after a restart", async () => {
    devnet().stopNode(2);
    await expect(retrieve(2)).rejects.toThrow("fetch failed");
    expect(await retrieve(1)).toEqual(whole);
    devnet().startNode(2);
    expect(await retrieve(2)).toEqual(whole);
  });

  test("any running node returns messages and access conditions, until none is left", async () => {
    const url = `${devnet().endpoints.keyNodes}/api/fileAccessConditions/get/some-file`;
    for (const node of [1, 2, 3, 4]) devnet().stopNode(node);
    expect((await send("GET", url)).status).toBe(200);
    devnet().stopNode(5);
    await expect(send("GET", url)).rejects.toThrow("fetch failed");
  });

  test("there is no node 6", () => {
    expect(() => devnet().stopNode(6)).toThrow("There is no key node 6");
  });
});

test("requests are logged in order, with service, node and status", async () => {
  devnet().stopNode(5);
  await retrieve(4);
  await retrieve(5).catch(() => {});
  const [settled, dead] = devnet().requests().slice(-2);
  expect(settled).toMatchObject({
    service: "keyNodes",
    method: "POST",
    path: "/api/retrieveSharedKey/4",
    node: 4,
    status: 200,
  });
  expect(dead).toMatchObject({ path: "/api/retrieveSharedKey/5", node: 5, status: 0 });
  expect(settled?.endedAt).toBeLessThanOrEqual(dead?.startedAt ?? 0);
  expect(JSON.stringify(devnet().requests())).not.toContain(token);
});

test("pages of any origin may send requests, with every header of the network", async () => {
  const preflight = await fetch(`${devnet().endpoints.upload}/api/v0/add`, {
    method: "OPTIONS",
    headers: {
      origin: "http://page.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,encryption,mime-type",
    },
  });
  expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([
    204,
    "http://page.example",
  ]);
  expect(preflight.headers.get("access-control-allow-headers")).toBe("authorization,encryption,mime-type");
  devnet().faults.add({ service: "keyNodes", action: { kind: "respond", status: 500, json: {} } });
  const faulty = await retrieveRaw(1, { headers: { origin: "http://page.example" } });
  expect([faulty.status, faulty.headers.get("access-control-allow-origin")]).toEqual([500, "http://page.example"]);
});
