import { afterEach, describe, expect, test } from "vitest";
import { commitToKey, encryptBytes, kavachSaveShards, kavachShardKey, openEncrypted } from "../../src/index.ts";
import { as } from "../kavach/saved-keys.ts";
import { devnetForTests } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { startGateway } from "./stand-in.ts";
import { makeBytes, shapes, storeFile } from "./trees.ts";

const devnet = devnetForTests();
const text = makeBytes(1_200_345);

afterEach(() => {
  devnet().attacks.clear();
  devnet().faults.clear();
  for (let node = 1; node <= 5; node++) devnet().startNode(node);
});

/** Stores an encrypted file, its key on the key nodes; returns how to open it. */
async function store(threshold: 2 | 3 | 4 = 3) {
  const masterKey = "5f".repeat(32);
  const { cid, blocks } = await storeFile(await encryptBytes(text, masterKey), shapes["256 KiB, version 1"]);
  const gateway = await startGateway(blocks);
  const owner = as(devnet(), 0);
  const { keyShards } = await kavachShardKey(masterKey, { threshold });
  await kavachSaveShards(cid, { ...owner, keyShards, pauseMs: 0 });
  const endpoints = { ...devnet().endpoints, gateway: gateway.url };
  return { cid, masterKey, gateway, options: { ...owner, endpoints, pauseMs: 0, retryMs: 0 } };
}

test("any part of an encrypted file is read and decrypted", async () => {
  const { cid, gateway, options } = await store();
  const file = await openEncrypted(cid, options);
  expect(file.size).toBe(text.length);
  const ranges = [
    [0, 0],
    [0, 1],
    [15, 17],
    [262_100, 262_200],
    [700_001, 700_033],
    [0, text.length],
    [text.length - 1, text.length],
  ] as const;
  gateway.requests.length = 0;
  for (const [from, to] of ranges) {
    expect(Buffer.compare(await file.read(from, to), text.subarray(from, to)), `${from} to ${to}`).toBe(0);
  }
  const streamed = await new Response(file.stream({ from: 100 })).arrayBuffer();
  expect(Buffer.compare(new Uint8Array(streamed), text.subarray(100))).toBe(0);
});

describe("a key that is not proved", () => {
  test("is refused while two nodes are down, unless the file's tag or a commitment proves it", async () => {
    const { cid, masterKey, options } = await store();
    devnet().stopNode(1);
    devnet().stopNode(2);
    const error = await failure(openEncrypted(cid, options));
    expect([error.code, error.details["cid"]]).toEqual(["KEY_NOT_PROVED", cid]);
    const commitment = await commitToKey(cid, masterKey);
    for (const proof of [{ authenticate: true }, { commitment }]) {
      const file = await openEncrypted(cid, { ...options, ...proof });
      expect(Buffer.compare(await file.read(5, 50), text.subarray(5, 50))).toBe(0);
    }
  });

  test("is refused if two nodes have lost their shards; the file is found all the same", async () => {
    const { cid, options } = await store();
    const action = { kind: "respond", json: null } as const;
    for (const node of [2, 4]) {
      devnet().faults.add({ service: "keyNodes", node, path: "/api/retrieveSharedKey", action });
    }
    expect((await failure(openEncrypted(cid, options))).code).toBe("KEY_NOT_PROVED");
    const file = await openEncrypted(cid, { ...options, authenticate: true });
    expect(Buffer.compare(await file.read(5, 50), text.subarray(5, 50))).toBe(0);
  });

  test.each([
    [2, 3, "KEY_NOT_PROVED"],
    [2, 4, "NODES_FAILED"],
    [4, 1, "KEY_NOT_PROVED"],
    [4, 2, "NODES_FAILED"],
  ] as const)("of threshold %i, while %i nodes are down, is reported as %s", async (threshold, down, code) => {
    const { cid, options } = await store(threshold);
    for (let node = 1; node <= down; node++) devnet().stopNode(node);
    expect((await failure(openEncrypted(cid, { ...options, threshold }))).code).toBe(code);
    if (code !== "KEY_NOT_PROVED") return;
    const file = await openEncrypted(cid, { ...options, threshold, authenticate: true });
    expect(Buffer.compare(await file.read(5, 50), text.subarray(5, 50))).toBe(0);
  });

  test("is refused if it was passed without proof", async () => {
    const { cid, masterKey, options } = await store();
    const { endpoints } = options;
    const codes = await Promise.all(
      [
        { key: masterKey },
        { key: "00".repeat(32), authenticate: true },
        { key: "00".repeat(32), commitment: await commitToKey(cid, masterKey) },
      ].map(async (key) => (await failure(openEncrypted(cid, { endpoints, ...key }))).code),
    );
    expect(codes).toEqual(["KEY_NOT_PROVED", "CANNOT_DECRYPT", "COMMITMENT_MISMATCH"]);
    const file = await openEncrypted(cid, { endpoints, key: masterKey, authenticate: true });
    expect(Buffer.compare(await file.read(0, 10), text.subarray(0, 10))).toBe(0);
  });

  test("of colluding nodes does not pass", async () => {
    const { cid, options } = await store();
    const { keyShards } = await kavachShardKey("11".repeat(32));
    const [first, second, third] = keyShards;
    devnet().attacks.add({ kind: "return-shards", cid, shards: { 1: first, 2: second, 3: third } });
    const error = await failure(openEncrypted(cid, options));
    expect(error.code).toBe("KEY_NOT_PROVED");
  });
});
