import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { Wallet } from "ethers";
import { CID } from "multiformats/cid";
import { create } from "multiformats/hashes/digest";
import { beforeAll, expect, test } from "vitest";
import { readCid, toMultibase } from "../../src/formats/cid/content-id.ts";
import { createKit } from "../../src/index.ts";
import { account, devnetForTests, getApiKey } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";

const devnet = devnetForTests();
const bytes = Uint8Array.from({ length: 700_000 }, (_, at) => (at * 13 + (at >> 9)) & 0xff);

const verifyCid = true;
let apiKey = "";

beforeAll(async () => {
  apiKey = await getApiKey(devnet(), account(devnet(), 0));
});

function kit() {
  const signer = new Wallet(account(devnet(), 0).privateKey);
  return createKit({ apiKey, signer, endpoints: devnet().endpoints, pauseMs: 0 });
}

async function store(content: Uint8Array, cidVersion: 0 | 1 = 1): Promise<string> {
  const [file] = await kit().upload(content, { verifyCid, cidVersion });
  return file?.Hash ?? "";
}

/** Makes the gateway send different bytes of the same length, once. */
function swapOnce(length: number): void {
  const action = { kind: "respond", text: "x".repeat(length) } as const;
  devnet().faults.add({ service: "gateway", path: "/api/v0/cat", times: 1, action });
}

/** Faster than comparing element by element. */
function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

const countDownloads = () =>
  devnet()
    .requests()
    .filter(({ service, path }) => service === "gateway" && path.startsWith("/api/v0/cat/")).length;

test.each([
  [0, 0],
  [1, 0],
  [0, 5],
  [1, 5],
  [0, 700_000],
  [1, 700_000],
] as const)("accepts a file of version %i and %i bytes that matches its CID", async (version, size) => {
  const cid = await store(bytes.subarray(0, size), version);
  expect(isEqual(await kit().download(cid), bytes.subarray(0, size))).toBe(true);
});

test("accepts a CID in any base, and a CID of version 0 as version 1", async () => {
  for (const version of [0, 1] as const) {
    const cid = readCid(await store(bytes, version));
    if (!cid) return expect.unreachable();
    const v1 = version === 1 ? cid.bytes : Uint8Array.of(1, 0x70, ...cid.bytes);
    for (const base of ["b", "B", "f", "F", "z"] as const) {
      const encoded = toMultibase(v1, base);
      expect(isEqual(await kit().download(encoded), bytes), encoded).toBe(true);
    }
  }
});

test("refuses other bytes, says which, and releases nothing", async () => {
  const cid = await store(bytes);
  const to = `${await scratch()}/file`;
  for (const output of [{}, { as: "blob" }, { as: "stream" }, { to }]) {
    swapOnce(bytes.length);
    const error = await failure(kit().download(cid, output as never));
    expect(error.code).toBe("CID_MISMATCH");
    expect(error.details).toEqual({ expected: cid, url: devnet().endpoints.gateway, from: 0, to: 262_144 });
  }
  expect(existsSync(to)).toBe(false);
  swapOnce(bytes.length);
  expect(await kit().download(cid, { verifyCid: false })).toHaveLength(bytes.length);
  await kit().download(cid, { to });
  expect(isEqual(await readFile(to), bytes)).toBe(true);
});

test("refuses missing or additional bytes at the end", async () => {
  const cid = await store(new TextEncoder().encode("xxxx"));
  for (const length of [3, 5]) {
    swapOnce(length);
    expect((await failure(kit().download(cid))).code).toBe("CID_MISMATCH");
  }
});

test("refuses a CID that cannot be verified before any request", async () => {
  const before = countDownloads();
  const blake = CID.createV1(0x55, create(0xb220, new Uint8Array(32))).toString();
  const error = await failure(kit().download(blake));
  expect(error).toMatchObject({ code: "NOT_VERIFIED", details: { cid: blake } });
  expect((await failure(kit().decrypt(blake))).code).toBe("NOT_VERIFIED");
  expect(countDownloads()).toBe(before);
});

test.each([0, 1] as const)("verifies an encrypted file of version %i before it decrypts it", async (cidVersion) => {
  const [file] = await kit().uploadEncrypted(bytes, { verifyCid, cidVersion });
  const cid = file?.Hash ?? "";
  expect(cid).toMatch(cidVersion === 0 ? /^Qm/ : /^baf/);
  expect(isEqual(await kit().decrypt(cid), bytes)).toBe(true);
  swapOnce(bytes.length + 44);
  const before = countDownloads();
  const error = await failure(kit().decrypt(cid));
  expect(error).toMatchObject({ code: "CID_MISMATCH", details: { expected: cid } });
  // After a wrong key, decryption tries other keys; wrong bytes fail with every key.
  expect(countDownloads()).toBe(before + 1);
});
