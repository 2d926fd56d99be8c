import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { account, add, getApiKey } from "../../../test/support/devnet-wire.ts";
import { startDevnet } from "../src/index.ts";

const listTemporaryFolders = async () =>
  (await readdir(tmpdir())).filter((name) => name.startsWith(`keeplight-devnet-${process.pid}-`));

/** Listens on a port; returns a function that stops listening. */
async function occupyPort(port: number): Promise<() => Promise<unknown>> {
  const server = createServer();
  await once(server.listen(port, "127.0.0.1"), "listening");
  return () => once(server.close(), "close");
}

/** Returns the first of `count` consecutive free ports, below the range that systems assign automatically. */
async function findConsecutivePorts(count: number): Promise<number> {
  const first = randomInt(10_000, 32_000);
  const held: (() => Promise<unknown>)[] = [];
  try {
    for (let port = first; port < first + count; port++) held.push(await occupyPort(port));
    return first;
  } catch {
    return await findConsecutivePorts(count);
  } finally {
    for (const release of held) await release();
  }
}

test("close ends pending requests, removes temporary data and may be called again", async () => {
  const devnet = await startDevnet({ faults: [{ service: "gateway", action: { kind: "hang" } }] });
  const [dir] = await listTemporaryFolders();
  expect(dir).toBeDefined();
  await add(devnet, await getApiKey(devnet, account(devnet, 0)), { a: "a" });
  const hanging = fetch(`${devnet.endpoints.gateway}/ipfs/x`);
  await expect.poll(() => devnet.requests().at(-1)?.service).toBe("gateway");
  await Promise.all([expect(hanging).rejects.toThrow("fetch failed"), devnet.close(), devnet.close()]);
  expect(await listTemporaryFolders()).toEqual([]);
  await expect(fetch(devnet.endpoints.api)).rejects.toThrow("fetch failed");
});

test("two devnets share no state", async () => {
  const [one, two] = await Promise.all([startDevnet(), startDevnet()]);
  try {
    const key = await getApiKey(one, account(one, 0));
    expect((await add(two, key, { a: "a" })).status).toBe(401);
    expect(account(one, 0).address).not.toBe(account(two, 0).address);
  } finally {
    await Promise.all([one.close(), two.close()]);
  }
});

test("ports are consecutive, and a port in use is reported without leaving anything behind", async () => {
  const first = await findConsecutivePorts(7);
  const release = await occupyPort(first + 1);
  await expect(startDevnet({ port: first })).rejects.toMatchObject({
    code: "INVALID_OPTION",
    message: `Cannot listen on port ${first + 1} of 127.0.0.1`,
  });
  expect(await listTemporaryFolders()).toEqual([]);
  await release();
  const devnet = await startDevnet({ port: first, gateways: 2 });
  const { api, upload, gateway, keyNodes, walrusUpload, x402 } = devnet.endpoints;
  const urls = [api, upload, gateway, keyNodes, devnet.gateways[1] ?? "", walrusUpload, x402];
  expect(urls.map((url) => Number(new URL(url).port) - first)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  await devnet.close();
});

test("global Request and Response are not replaced", async () => {
  const before = [globalThis.Request, globalThis.Response];
  const devnet = await startDevnet();
  await devnet.close();
  expect([globalThis.Request, globalThis.Response]).toEqual(before);
});
