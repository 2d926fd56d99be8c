import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { resolveOptions } from "../../src/base/operation.ts";
import { type UploadEncryptedOptions, uploadEncrypted } from "../../src/index.ts";
import { uploadKeysFirst } from "../../src/parts/upload-steps.ts";
import { uploadEncryptedSchema } from "../../src/storage/upload/upload-encrypted.ts";
import { scratch } from "../support/files.ts";
import { endpointsAt } from "../support/http-server.ts";
import { createMemoryNetwork } from "../support/net-memory.ts";
import { computeCid, computeLargeCid } from "../support/stored-rows.ts";

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
