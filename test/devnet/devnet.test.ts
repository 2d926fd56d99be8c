import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startDevnet } from "../../src/devnet/index.ts";
import { account, add, apiKeyOf } from "./wire.ts";

const temporary = async (pid = process.pid) =>
  (await readdir(tmpdir())).filter((name) => name.startsWith(`keeplight-devnet-${pid}-`));

/** Listens on a port; the function that comes back stops that. */
async function occupy(port: number): Promise<() => Promise<unknown>> {
  const server = createServer();
  await once(server.listen(port, "127.0.0.1"), "listening");
  return () => once(server.close(), "close");
}

/** The first of `count` free ports in a row, below those that systems hand out to whoever names none. */
async function freePortsInARow(count: number): Promise<number> {
  const first = randomInt(10_000, 32_000);
  const held: (() => Promise<unknown>)[] = [];
  try {
    for (let port = first; port < first + count; port++) held.push(await occupy(port));
    return first;
  } catch {
    return await freePortsInARow(count);
  } finally {
    for (const release of held) await release();
  }
}

test("close ends what is under way, removes temporary data and may be called again", async () => {
  const devnet = await startDevnet({ faults: [{ service: "gateway", action: { kind: "hang" } }] });
  const [dir] = await temporary();
  expect(dir).toBeDefined();
  await add(devnet, await apiKeyOf(devnet, account(devnet, 0)), { a: "a" });
  const hanging = fetch(`${devnet.endpoints.gateway}/ipfs/x`);
  await expect.poll(() => devnet.requests().at(-1)?.service).toBe("gateway");
  await Promise.all([expect(hanging).rejects.toThrow("fetch failed"), devnet.close(), devnet.close()]);
  expect(await temporary()).toEqual([]);
  await expect(fetch(devnet.endpoints.api)).rejects.toThrow("fetch failed");
});

test("a closed devnet lets its process end, and prints nothing", async () => {
  const script = fileURLToPath(new URL("start-and-close.ts", import.meta.url));
  const tsx = ["--import", "tsx", "--conditions=keeplight-source"];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...tsx, script], { timeout: 15_000 });
  expect([stdout, stderr]).toEqual(["closed\n", ""]);
});

test("a process that ends without closing its devnet leaves no data", async () => {
  const script = fileURLToPath(new URL("start-and-exit.ts", import.meta.url));
  const tsx = ["--import", "tsx", "--conditions=keeplight-source"];
  const { stdout } = await promisify(execFile)(process.execPath, [...tsx, script], { timeout: 15_000 });
  const { pid, held } = JSON.parse(stdout);
  expect(held).toEqual([expect.stringContaining(`keeplight-devnet-${pid}-`)]);
  expect(await temporary(pid)).toEqual([]);
});

test("two devnets know nothing of each other", async () => {
  const [one, two] = await Promise.all([startDevnet(), startDevnet()]);
  try {
    const key = await apiKeyOf(one, account(one, 0));
    expect((await add(two, key, { a: "a" })).status).toBe(401);
    expect(account(one, 0).address).not.toBe(account(two, 0).address);
  } finally {
    await Promise.all([one.close(), two.close()]);
  }
});

test("ports come in a row, and one that is taken is said so without leaving anything", async () => {
  const first = await freePortsInARow(4);
  const release = await occupy(first + 1);
  await expect(startDevnet({ port: first })).rejects.toMatchObject({
    code: "INVALID_OPTION",
    message: `Cannot listen on port ${first + 1} of 127.0.0.1`,
  });
  expect(await temporary()).toEqual([]);
  await release();
  const devnet = await startDevnet({ port: first });
  expect(Object.values(devnet.endpoints).map((url) => Number(new URL(url).port) - first)).toEqual([0, 1, 2, 3]);
  await devnet.close();
});

test("global Request and Response stay as they were", async () => {
  const before = [globalThis.Request, globalThis.Response];
  const devnet = await startDevnet();
  await devnet.close();
  expect([globalThis.Request, globalThis.Response]).toEqual(before);
});
