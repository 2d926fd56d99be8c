import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { gcm as browserGcm } from "../../src/platform/browser/gcm.ts";
import {
  concat,
  cutEvery,
  cutInto,
  decryptAll,
  encryptAll,
  implementations,
  nobleGcm,
  someBytes,
  toHex,
} from "../crypto/helpers.ts";

const options = { key: someBytes(32, 2), iv: someBytes(12, 3) };
const KIB = 1024;
const MIB = 1024 * KIB;

/** Encrypts the whole message by WebCrypto's GCM: every streaming implementation must match. */
async function encryptAtOnce(plaintext: Uint8Array): Promise<string> {
  const unshared = (bytes: Uint8Array) => new Uint8Array(bytes);
  const key = await crypto.subtle.importKey("raw", unshared(options.key), "AES-GCM", false, ["encrypt"]);
  const settings = { name: "AES-GCM", iv: unshared(options.iv) };
  return digest(new Uint8Array(await crypto.subtle.encrypt(settings, key, unshared(plaintext))));
}

/** Compared instead of the bytes: a difference of megabytes takes minutes to print. */
async function digest(bytes: Uint8Array): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes))));
}

describe.each(implementations)("AES-256-GCM by %s", (_name, gcm) => {
  const edges = [256 * KIB, MIB, 2 * MIB].flatMap((edge) => [edge - 1, edge, edge + 1]);
  test.each([0, 1, 15, 16, 17, ...edges])(
    "encryption of %i bytes matches a single call, and decrypts again",
    async (size) => {
      const plaintext = someBytes(size);
      const chunks = cutEvery(plaintext, 256 * KIB);
      const { ciphertext, tag } = await encryptAll(gcm, options, chunks);
      expect(await digest(concat([ciphertext, tag]))).toBe(await encryptAtOnce(plaintext));
      const opened = await decryptAll(gcm, options, cutEvery(ciphertext, 300_001), tag);
      expect(await digest(opened)).toBe(await digest(plaintext));
    },
  );

  test("results for short messages do not depend on chunk sizes", async () => {
    const message = fc.tuple(fc.uint8Array({ maxLength: 200 }), fc.array(fc.nat(40)), fc.array(fc.nat(40)));
    await fc.assert(
      fc.asyncProperty(message, async ([plaintext, cutsIn, cutsOut]) => {
        const { ciphertext, tag } = await encryptAll(gcm, options, cutInto(plaintext, cutsIn));
        expect(await digest(concat([ciphertext, tag]))).toBe(await encryptAtOnce(plaintext));
        const opened = await decryptAll(gcm, options, cutInto(ciphertext, cutsOut), tag);
        expect(toHex(opened)).toBe(toHex(plaintext));
      }),
    );
  });

  test("results for long messages do not depend on chunk sizes", async () => {
    const lengths = fc.array(fc.oneof(fc.nat(40), fc.nat(MIB + 20), fc.constant(MIB)), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.nat(3 * MIB), lengths, lengths, async (size, cutsIn, cutsOut) => {
        const plaintext = someBytes(size);
        const { ciphertext, tag } = await encryptAll(gcm, options, cutInto(plaintext, cutsIn));
        expect(await digest(concat([ciphertext, tag]))).toBe(await encryptAtOnce(plaintext));
        const opened = await decryptAll(gcm, options, cutInto(ciphertext, cutsOut), tag);
        expect(await digest(opened)).toBe(await digest(plaintext));
      }),
      { numRuns: 8 },
    );
  });

  test("chunks may be overwritten once `update` has resolved", async () => {
    const plaintext = someBytes(3 * MIB + 5);
    const encryptor = await gcm.encryptor(options);
    const ciphertext: Uint8Array[] = [];
    const buffer = new Uint8Array(MIB - 3);
    for (let start = 0; start < plaintext.length; start += buffer.length) {
      const chunk = plaintext.subarray(start, start + buffer.length);
      buffer.set(chunk);
      ciphertext.push(await encryptor.update(buffer.subarray(0, chunk.length)));
      buffer.fill(0);
    }
    const { rest, tag } = await encryptor.finish();
    expect(await digest(concat([...ciphertext, rest, tag]))).toBe(await encryptAtOnce(plaintext));
  });

  test("any changed bit in the ciphertext, tag, iv or key is refused", async () => {
    const { ciphertext, tag } = await encryptAll(gcm, options, [someBytes(33)]);
    const parts = { ...options, ciphertext, tag };
    for (const [name, bytes] of Object.entries(parts)) {
      for (let bit = 0; bit < bytes.length * 8; bit += 1) {
        const flipped = bytes.slice();
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const changed = { ...parts, [name]: flipped };
        const opened = decryptAll(gcm, changed, [changed.ciphertext], changed.tag);
        await expect(opened, `bit ${bit} of ${name}`).rejects.toMatchObject({
          code: "CANNOT_DECRYPT",
          message: "Decryption failed: wrong key, or the file is damaged",
        });
      }
    }
  });

  test.each([0, 4, 12, 15, 17])("a tag of %i bytes is refused", async (length) => {
    const { ciphertext, tag } = await encryptAll(gcm, options, [someBytes(33)]);
    const wrong = concat([tag, tag]).slice(0, length);
    await expect(decryptAll(gcm, options, [ciphertext], wrong)).rejects.toMatchObject({ code: "CANNOT_DECRYPT" });
  });

  test.each([16, 24, 31, 33])("a key of %i bytes is refused", async (length) => {
    const wrong = { ...options, key: someBytes(length) };
    const refused = { code: "INVALID_KEY", message: "key must have 32 bytes" };
    await expect(gcm.encryptor(wrong)).rejects.toMatchObject(refused);
    await expect(gcm.decryptor(wrong)).rejects.toMatchObject(refused);
  });

  test.each([0, 11, 13, 16])("an iv of %i bytes is refused", async (length) => {
    const wrong = { ...options, iv: someBytes(length) };
    const refused = { code: "INVALID_OPTION", message: "iv must have 12 bytes" };
    await expect(gcm.encryptor(wrong)).rejects.toMatchObject(refused);
    await expect(gcm.decryptor(wrong)).rejects.toMatchObject(refused);
  });
});

describe.each([{}, undefined])("a browser without WebCrypto: crypto is %o", (crypto) => {
  test("yields the same bytes with the other implementation, chosen at call time", async () => {
    const plaintext = [someBytes(100)];
    const expected = await encryptAll(browserGcm, options, plaintext);
    vi.stubGlobal("crypto", crypto);
    try {
      expect(await encryptAll(browserGcm, options, plaintext)).toEqual(expected);
      expect(toHex(await decryptAll(browserGcm, options, [expected.ciphertext], expected.tag))).toBe(
        toHex(concat(plaintext)),
      );
    } finally {
      vi.unstubAllGlobals();
    }
    expect(expected).toEqual(await encryptAll(nobleGcm, options, plaintext));
  });
});
