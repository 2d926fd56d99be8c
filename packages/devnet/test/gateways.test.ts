import { randomBytes } from "node:crypto";
import { CID } from "multiformats/cid";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { account, add, devnetForTests, getApiKey } from "../../../test/support/devnet-wire.ts";
import type { Attack, Fault, SentBlock } from "../src/index.ts";
import { exportByBlocks, exportFromCar, fetchBlock, fetchCar } from "./gateway-client.ts";

const devnet = devnetForTests({
  chunking: { chunkBytes: 1_000 },
  gateways: [
    {},
    { formats: ["whole", "range"], unsupported: "file" },
    { formats: ["whole"], unsupported: 400 },
    { formats: ["range"] },
    { formats: ["raw"] },
    { formats: ["car"], unsupported: 400 },
  ],
});
const content = randomBytes(5_500);
let cid = "";
beforeAll(async () => {
  const key = await getApiKey(devnet(), account(devnet(), 0));
  cid = ((await (await add(devnet(), key, { content })).json()) as { Hash: string }).Hash;
});
afterEach(() => {
  devnet().attacks.clear();
  devnet().faults.clear();
});

const gateway = (index: number) => devnet().gateways[index] ?? "";

/** Requests the file in each format; returns what is served, or the status. */
async function probe(index: number): Promise<Record<string, string | number>> {
  const base = gateway(index);
  const url = `${base}/ipfs/${cid}`;
  const responses = {
    cat: await fetch(`${base}/api/v0/cat/${cid}`, { method: "POST" }),
    get: await fetch(url),
    range: await fetch(url, { headers: { range: "bytes=0-9" } }),
    raw: await fetch(`${url}?format=raw`),
    car: await fetch(url, { headers: { accept: "application/vnd.ipld.car" } }),
    identity: await fetch(`${base}/ipfs/bafkqaaa?format=raw`),
  };
  const found: Record<string, string | number> = {};
  for (const [name, response] of Object.entries(responses)) {
    const size = (await response.arrayBuffer()).byteLength;
    const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
    found[name] = response.ok ? `${type.replace(/^application\/(vnd\.ipld\.)?/, "")} ${size}` : response.status;
  }
  return found;
}

test("gateways serve the same content in the formats that they offer", async () => {
  expect(devnet().gateways[0]).toBe(devnet().endpoints.gateway);
  expect(new Set(devnet().gateways).size).toBe(6);
  const root = (await fetchBlock(gateway(0), cid)).byteLength;
  const car = new Uint8Array(await (await fetch(`${gateway(0)}/ipfs/${cid}?format=car`)).arrayBuffer()).byteLength;
  const file = { cat: "octet-stream 5500", get: "octet-stream 5500", range: "octet-stream 10" };
  const blocks = { raw: `raw ${root}`, car: `car ${car}`, identity: "raw 0" };
  const plain = { raw: "octet-stream 5500", car: "octet-stream 5500", identity: "octet-stream 0" };
  expect(await probe(0)).toEqual({ ...file, ...blocks });
  expect(await probe(1)).toEqual({ ...file, ...plain });
  expect(await probe(2)).toEqual({ ...file, range: file.get, raw: 400, car: 400, identity: 400 });
  expect(await probe(3)).toEqual({ ...file, cat: 404, raw: 406, car: 406, identity: 406 });
  const noFile = { cat: 404, get: 406, range: 406 };
  expect(await probe(4)).toEqual({ ...noFile, raw: blocks.raw, car: 406, identity: "raw 0" });
  expect(await probe(5)).toEqual({ cat: 404, get: 400, range: 400, raw: 400, car: blocks.car, identity: 400 });
});

test("faults select a gateway by its index, and the log names it", async () => {
  const fault: Fault = { service: "gateway", gateway: 1, action: { kind: "respond", status: 503 } };
  devnet().faults.add(fault);
  const statuses = [0, 1, 2].map(async (index) => {
    const response = await fetch(`${gateway(index)}/ipfs/${cid}`);
    await response.arrayBuffer();
    return response.status;
  });
  expect(await Promise.all(statuses)).toEqual([200, 503, 200]);
  const logged = devnet().requests().slice(-3);
  expect(logged.map(({ gateway, status }) => [gateway, status]).sort()).toEqual([
    [0, 200],
    [1, 503],
    [2, 200],
  ]);
  expect(() => devnet().faults.add({ ...fault, service: "api" })).toThrow("fault.gateway");
  expect(() => devnet().faults.add({ ...fault, gateway: -1 })).toThrow("fault.gateway");
});

describe("the attack tamper-blocks", () => {
  const flip = ({ cid: of, bytes }: SentBlock) => [{ cid: of, bytes: bytes.with(0, (bytes[0] ?? 0) ^ 1) }];
  const attack = (change: (block: SentBlock, index: number) => readonly SentBlock[] | null): void =>
    void devnet().attacks.add({ kind: "tamper-blocks", gateways: [0], change });
  const fetchCids = async (index: number) =>
    (await fetchCar(gateway(index), cid)).map(({ cid: sent }) => sent.toString());

  test("changes a bit of a block, at one gateway only", async () => {
    attack(flip);
    await expect(exportByBlocks(gateway(0), cid)).rejects.toThrow(`${cid} has other bytes`);
    await expect(fetchCar(gateway(0), cid)).rejects.toThrow(`${cid} has other bytes`);
    expect(content.equals(await exportByBlocks(gateway(4), cid))).toBe(true);
    expect(content.equals(await exportFromCar(await fetchCar(gateway(5), cid), cid))).toBe(true);
  });

  test("can be limited to one requested content id", async () => {
    devnet().attacks.add({ kind: "tamper-blocks", cid: await firstLeaf(), change: flip });
    expect(content.equals(await exportFromCar(await fetchCar(gateway(0), cid), cid))).toBe(true);
    await expect(exportByBlocks(gateway(0), cid)).rejects.toThrow("has other bytes");
  });

  test("sends another block", async () => {
    const other = await firstLeaf();
    const bytes = await fetchBlock(gateway(4), other);
    attack(() => [{ cid: other, bytes }]);
    expect(Buffer.from(await fetchBlock(gateway(0), cid)).equals(content.subarray(0, 1_000))).toBe(true);
    expect(new Set(await fetchCids(0))).toEqual(new Set([other]));
  });

  test("cuts an archive short, as if it were complete", async () => {
    const all = await fetchCids(0);
    attack((block, index) => (index < 3 ? [block] : null));
    expect(await fetchCids(0)).toEqual(all.slice(0, 3));
    attack(() => null);
    expect(await fetchCids(0)).toEqual([]);
    expect(await fetchBlock(gateway(0), cid)).toHaveLength(0);
  });

  test("adds blocks nobody requested, also too large ones", async () => {
    const large = { cid: "bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e", bytes: Buffer.alloc(3 << 20) };
    attack((block) => [large, block]);
    expect((await fetchBlock(gateway(0), cid)).byteLength).toBe(3 << 20);
    const response = await fetch(`${gateway(0)}/ipfs/${cid}?format=car&dag-scope=block`);
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(3 << 20);
  });

  async function firstLeaf(): Promise<string> {
    return String((await fetchCar(gateway(5), cid)).find(({ cid: sent }) => sent.code === 0x55)?.cid);
  }
});

test("the attack tamper-content applies to one gateway, and to parts of the file", async () => {
  const change = (bytes: Uint8Array) => bytes.with(7, (bytes[7] ?? 0) ^ 1);
  devnet().attacks.add({ kind: "tamper-content", cid: CID.parse(cid).toString(), gateways: [1], change });
  const read = async (index: number) => {
    const response = await fetch(`${gateway(index)}/ipfs/${cid}`, { headers: { range: "bytes=5-9" } });
    expect([response.status, response.headers.get("content-range")]).toEqual([206, "bytes 5-9/5500"]);
    return Buffer.from(await response.arrayBuffer());
  };
  expect((await read(0)).equals(content.subarray(5, 10))).toBe(true);
  expect((await read(1)).equals(change(content).subarray(5, 10))).toBe(true);
});

test.each([
  [{ kind: "tamper-blocks" }, "attack.change"],
  [{ kind: "tamper-blocks", change: () => null, gateways: [] }, "attack.gateways"],
  [{ kind: "tamper-content", change: () => null, gateways: [-1] }, "attack.gateways"],
  [{ kind: "seize", owner: "0x", nodes: [1], gateways: [0] }, "attack.gateways"],
])("the attack %j is refused", (attack, option) => {
  expect(() => devnet().attacks.add(attack as unknown as Attack)).toThrow(option);
});
