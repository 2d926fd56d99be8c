import { describe, expect, test, vi } from "vitest";
import { concatBytes, equalBytes } from "../../src/base/streams/bytes.ts";
import { createStreamingGcm, type GcmParts } from "../../src/platform/aes-gcm/streaming.ts";
import { openGcmParts, openWebCryptoParts } from "../../src/platform/aes-gcm/webcrypto.ts";
import { someBytes } from "../crypto/helpers.ts";

const SEGMENT = 512 * 1024;
const options = { key: someBytes(32), iv: someBytes(12) };
const failure = new Error("out of memory");
const inNode = typeof window === "undefined";

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
});

test("a single segment is returned as the cipher made it, without a copy", async () => {
  const made = new Uint8Array(SEGMENT);
  const encryptor = await openWith({ ctr: async () => made }).encryptor(options);
  expect(await encryptor.update(new Uint8Array(SEGMENT))).toBe(made);
});

test("this runtime encrypts a segment in one call", async () => {
  expect((await openGcmParts(options)).encrypt).toBeDefined();
  const calls = vi.spyOn(crypto.subtle, "encrypt");
  try {
    const encryptor = await createStreamingGcm(openGcmParts).encryptor(options);
    calls.mockClear();
    for (let count = 1; count <= 3; count++) {
      await encryptor.update(new Uint8Array(SEGMENT));
      expect(calls).toHaveBeenCalledTimes(count);
    }
    // The end of the text: there is none left.
    await encryptor.finish();
    expect(calls).toHaveBeenCalledTimes(3);
  } finally {
    calls.mockRestore();
  }
});

// A page cannot load a module afresh.
test.runIf(inNode).each([
  ["refuses ivs of 16 bytes", () => Promise.reject(new DOMException("iv", "OperationError"))],
  ["takes 12 of their bytes", (iv: Uint8Array) => iv.slice(0, 12)],
])("a runtime that %s encrypts in two calls", async (_, change) => {
  vi.resetModules();
  const { encrypt } = crypto.subtle;
  const mocked = vi.spyOn(crypto.subtle, "encrypt").mockImplementation(async (settings, key, data) => {
    const { iv } = settings as { iv?: Uint8Array };
    const changed = iv?.length === 16 ? { ...(settings as object), iv: await change(iv) } : settings;
    return encrypt.call(crypto.subtle, changed as typeof settings, key, data);
  });
  try {
    const { openGcmParts: openAfresh } = await import("../../src/platform/aes-gcm/webcrypto.ts");
    expect((await openAfresh(options)).encrypt).toBeUndefined();
    const encryptor = await createStreamingGcm(openAfresh).encryptor(options);
    const text = someBytes(SEGMENT + 100);
    const parts = [await encryptor.update(text)];
    const { rest, tag } = await encryptor.finish();
    mocked.mockRestore();
    const { key, iv } = options;
    const whole = await crypto.subtle.importKey("raw", new Uint8Array(key), "AES-GCM", false, ["encrypt"]);
    const settings = { name: "AES-GCM", iv: new Uint8Array(iv) };
    const expected = new Uint8Array(await crypto.subtle.encrypt(settings, whole, new Uint8Array(text)));
    expect(equalBytes(concatBytes([...parts, rest, tag]), expected)).toBe(true);
  } finally {
    mocked.mockRestore();
  }
});

describe("an encryption in one call for each segment", () => {
  const text = someBytes(2 * SEGMENT + 5);

  async function encryptAtOnce(): Promise<Uint8Array> {
    const key = await crypto.subtle.importKey("raw", new Uint8Array(options.key), "AES-GCM", false, ["encrypt"]);
    const settings = { name: "AES-GCM", iv: new Uint8Array(options.iv) };
    return new Uint8Array(await crypto.subtle.encrypt(settings, key, new Uint8Array(text)));
  }

  const texts: (readonly [name: string, create: () => Uint8Array])[] = [
    ["overwritten once it was passed", () => text.slice()],
    ...(inNode
      ? ([
          ["in memory shared between threads", () => new Uint8Array(new SharedArrayBuffer(text.length))],
          ["in a Buffer, whose slices are views", () => Buffer.from(text)],
        ] as const)
      : []),
  ];

  test.each(texts)("takes a text %s", async (_, create) => {
    const chunk = create();
    chunk.set(text);
    const encryptor = await createStreamingGcm(openWebCryptoParts).encryptor(options);
    const updating = encryptor.update(chunk);
    chunk.fill(0);
    const output = await updating;
    const { rest, tag } = await encryptor.finish();
    expect(equalBytes(concatBytes([output, rest, tag]), await encryptAtOnce())).toBe(true);
  });

  test("leaves no tag of a segment in memory that the caller can reach", async () => {
    const encryptor = await createStreamingGcm(openWebCryptoParts).encryptor(options);
    const output = await encryptor.update(text.subarray(0, SEGMENT));
    const beyond = new Uint8Array(output.buffer).subarray(output.byteOffset + output.length);
    expect(beyond.every((byte) => byte === 0)).toBe(true);
  });

  test("yields nothing after a segment that failed", async () => {
    const encryptor = await createStreamingGcm(openWebCryptoParts).encryptor(options);
    const mocked = vi.spyOn(crypto.subtle, "encrypt").mockRejectedValueOnce(failure);
    try {
      await expect(encryptor.update(text.subarray(0, SEGMENT))).rejects.toBe(failure);
      await expect(encryptor.update(text.subarray(0, SEGMENT))).rejects.toBe(failure);
      await expect(encryptor.finish()).rejects.toBe(failure);
    } finally {
      mocked.mockRestore();
    }
  });
});

test("the keys that WebCrypto holds cannot be read by anyone", async () => {
  const imports = vi.spyOn(crypto.subtle, "importKey");
  try {
    await openWebCryptoParts(options);
    const keys = await Promise.all(imports.mock.results.map(({ value }) => value as Promise<CryptoKey>));
    const names = keys.filter(({ extractable }) => !extractable).map(({ algorithm }) => algorithm.name);
    expect([...new Set(names)].sort()).toEqual(["AES-CTR", "AES-GCM"]);
    expect(names).toHaveLength(keys.length);
  } finally {
    imports.mockRestore();
  }
});
