import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Wallet } from "ethers";
import { expect, test } from "vitest";
import { resolveOptions } from "../../src/base/operation.ts";
import { createApiKey, listFiles, type UploadEncryptedOptions, uploadEncrypted } from "../../src/index.ts";
import { uploadKeysFirst } from "../../src/parts/upload-steps.ts";
import { uploadEncryptedSchema } from "../../src/storage/upload/upload-encrypted.ts";
import { devnetForTests } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { endpointsAt } from "../support/http-server.ts";
import { createMemoryNetwork } from "../support/net-memory.ts";
import { computeCid, computeLargeCid } from "../support/stored-rows.ts";

const devnet = devnetForTests();

test("a key is saved before its file is stored, also if the node splits files in another way than before", async () => {
  let toCid = computeCid;
  /** Content ids that the nodes had keys of when the upload node had all bytes. */
  let before = new Set<string>();
  const network = await createMemoryNetwork(async (bytes) => {
    before = new Set(network.saved.map(({ cid }) => cid));
    return toCid(bytes);
  });
  const path = join(await scratch(), "backup.bin");
  await writeFile(path, new Uint8Array(700_000).fill(1));
  const options: UploadEncryptedOptions = {
    apiKey: "key-secret",
    address: "0x00000000000000000000000000000000000000aa",
    authToken: "jwt:token-secret",
    pauseMs: 0,
    endpoints: endpointsAt(network.url),
  };
  await uploadEncrypted(path, options);
  expect(before.size).toBe(0);
  for (const next of [computeCid, computeLargeCid]) {
    toCid = next;
    const { Hash } = await uploadKeysFirst(path, resolveOptions(uploadEncryptedSchema, options));
    expect(before.has(Hash)).toBe(true);
  }
});

test("one node may be down, unless the key requires all five: then nothing is stored", async () => {
  const { endpoints } = devnet();
  const signer = Wallet.createRandom();
  const apiKey = await createApiKey({ signer, endpoints });
  const path = join(await scratch(), "letter.txt");
  await writeFile(path, "Dear Bob");
  devnet().stopNode(4);
  const options = { apiKey, signer, endpoints, pauseMs: 0, retryMs: 0 };
  const save = (threshold: number) =>
    uploadKeysFirst(path, resolveOptions(uploadEncryptedSchema, { ...options, threshold }));
  expect(await failure(save(5))).toMatchObject({ code: "SHARDS_NOT_SAVED" });
  expect((await listFiles({ apiKey, endpoints })).fileList).toEqual([]);
  expect(await save(4)).toMatchObject({ nodesMissing: [4] });
  devnet().startNode(4);
});
