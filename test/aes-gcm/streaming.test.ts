import { describe, expect, test, vi } from "vitest";
import { createStreamingGcm, type GcmParts } from "../../src/platform/aes-gcm/streaming.ts";
import { openWebCryptoParts } from "../../src/platform/aes-gcm/webcrypto.ts";
import { someBytes } from "../crypto/helpers.ts";

const SEGMENT = 512 * 1024;
const options = { key: someBytes(32), iv: someBytes(12) };
const failure = new Error("out of memory");

/** A cipher that changes nothing and has a constant tag. */
const parts: GcmParts = {
  ctr: async (segment) => segment.slice(),
  hash: async () => undefined,
  tag: async () => new Uint8Array(16),
};

const openWith = (changed: Partial<GcmParts>) => createStreamingGcm(async () => ({ ...parts, ...changed }));

describe("a failure of GHASH", () => {
  const failing = openWith({ hash: () => Promise.reject(failure) });

  test("rejects the end of an encryption, or the call after the one that it occurred in", async () => {
    const short = await failing.encryptor(options);
    await expect(short.finish()).rejects.toBe(failure);
    const long = await failing.encryptor(options);
    expect(await long.update(new Uint8Array(SEGMENT))).toHaveLength(SEGMENT);
    await expect(long.update(new Uint8Array(SEGMENT))).rejects.toBe(failure);
  });

  test("rejects the end of a decryption, or the call after the one that it occurred in", async () => {
    const short = await failing.decryptor(options);
    await expect(short.finish(new Uint8Array(16))).rejects.toBe(failure);
    const long = await failing.decryptor(options);
    expect(await long.update(new Uint8Array(SEGMENT))).toHaveLength(SEGMENT);
    await expect(long.update(new Uint8Array(SEGMENT))).rejects.toBe(failure);
  });

  test("in the additional data rejects the start of a message", async () => {
    const withData = { ...options, additionalData: someBytes(1) };
    await expect(failing.encryptor(withData)).rejects.toBe(failure);
    await expect(failing.decryptor(withData)).rejects.toBe(failure);
  });
});

test("a single segment is returned as the cipher made it, without a copy", async () => {
  const made = new Uint8Array(SEGMENT);
  const encryptor = await openWith({ ctr: async () => made }).encryptor(options);
  expect(await encryptor.update(new Uint8Array(SEGMENT))).toBe(made);
});

test("the keys that WebCrypto holds cannot be read by anyone", async () => {
  const imports = vi.spyOn(crypto.subtle, "importKey");
  try {
    await openWebCryptoParts(options);
    const keys = await Promise.all(imports.mock.results.map(({ value }) => value as Promise<CryptoKey>));
    expect(keys.map(({ algorithm, extractable }) => [algorithm.name, extractable])).toEqual([
      ["AES-CTR", false],
      ["AES-GCM", false],
    ]);
  } finally {
    imports.mockRestore();
  }
});
