import { describe, expect, test } from "vitest";
import { MAX_PLAINTEXT_BYTES } from "../../src/formats/crypto/file-format.ts";
import { fromBytes, invert, multiply, power, toBytes } from "../../src/platform/aes-gcm/field.ts";
import { FIRST_TEXT_COUNTER } from "../../src/platform/aes-gcm/gcm.ts";
import { openNobleParts } from "../../src/platform/aes-gcm/noble.ts";
import { openWebCryptoParts } from "../../src/platform/aes-gcm/webcrypto.ts";
import { concat, cutEvery, someBytes, toHex } from "../crypto/helpers.ts";
import { multiplyByDefinition } from "./multiply.ts";

const options = { key: someBytes(32, 5), iv: someBytes(12, 6) };
const inNode = typeof window === "undefined";

const toBigInt = (bytes: Uint8Array) => BigInt(`0x${toHex(bytes)}`);

describe("GF(2^128)", () => {
  test("products match the definition", () => {
    for (let seed = 1; seed <= 50; seed++) {
      const [x, y] = [someBytes(16, seed), someBytes(16, seed + 100)];
      const product = toBytes(multiply(fromBytes(x), fromBytes(y)));
      expect(toBigInt(product)).toBe(multiplyByDefinition(toBigInt(x), toBigInt(y)));
    }
  });

  test("powers match repeated products", () => {
    const base = fromBytes(someBytes(16));
    let product = power(base, 0);
    for (let exponent = 0; exponent < 70; exponent++) {
      expect(power(base, exponent)).toEqual(product);
      product = multiply(product, base);
    }
  });

  test("an element times its inverse is one", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const x = fromBytes(someBytes(16, seed));
      expect(toBytes(multiply(x, invert(x)))).toEqual(toBytes(power(x, 0)));
    }
  });

  test("powers past 32 bits add up", () => {
    const base = fromBytes(someBytes(16));
    expect(power(base, 2 ** 32 + 5)).toEqual(multiply(power(power(base, 2 ** 16), 2 ** 16), power(base, 5)));
  });
});

describe.each([
  ["WebCrypto", openWebCryptoParts],
  ["noble", openNobleParts],
])("the halves of GCM by %s, far into a message", (_name, open) => {
  const lastCounter = FIRST_TEXT_COUNTER + (MAX_PLAINTEXT_BYTES - 16) / 16;

  test("the last block of the largest file has the largest counter", () => {
    expect(lastCounter).toBe(2 ** 32 - 1);
  });

  test.runIf(inNode).each([2 ** 27, 2 ** 28 + 2, 2 ** 31 - 2, 2 ** 31, 2 ** 32 - 4])(
    "encryption from counter %i matches OpenSSL",
    async (counter) => {
      const { createCipheriv } = await import("node:crypto");
      const block = concat([options.iv, new Uint8Array(4)]);
      new DataView(block.buffer).setUint32(12, counter);
      const text = someBytes(64);
      const expected = createCipheriv("aes-256-ctr", options.key, block).update(text);
      expect(toHex(await (await open(options)).ctr(text, counter))).toBe(toHex(expected));
    },
  );

  test("at the largest counters each block is encrypted with its own counter", async () => {
    const parts = await open(options);
    const text = someBytes(48);
    const blocks = cutEvery(text, 16).map((block, index) => parts.ctr(block, lastCounter - 2 + index));
    expect(toHex(await parts.ctr(text, lastCounter - 2))).toBe(toHex(concat(await Promise.all(blocks))));
  });

  test("a segment that is encrypted in one call starts at any counter", async () => {
    const { encrypt, ctr } = await open(options);
    for (const counter of [FIRST_TEXT_COUNTER, 3, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 8, lastCounter - 2]) {
      const text = someBytes(48, counter % 251);
      if (encrypt) expect(toHex(await encrypt(text, counter))).toBe(toHex(await ctr(text, counter)));
    }
  });

  test.each([2 ** 29 - 1, 2 ** 29, 2 ** 32 + 16, MAX_PLAINTEXT_BYTES])(
    "the tag includes the length of a plaintext of %i bytes",
    async (textBytes) => {
      const [hashKey, mask] = await computeHashKeyAndMask();
      const state = someBytes(32, 9);
      const parts = await open(options);
      await parts.hash(state);
      const lengths = (0n << 64n) | (BigInt(textBytes) * 8n);
      const expected = [toBigInt(state.slice(0, 16)), toBigInt(state.slice(16)), lengths].reduce(
        (hash, block) => multiplyByDefinition(hash ^ block, hashKey),
        0n,
      );
      expect(toBigInt(await parts.tag(textBytes))).toBe(expected ^ mask);
    },
  );

  test("GHASH of many chunks matches GHASH of their bytes, also when they are hashed at once", async () => {
    const bytes = someBytes(5000);
    const whole = await open(options);
    await whole.hash(bytes);
    const chunked = await open(options);
    await Promise.all(cutEvery(bytes, 16 * 37).map((chunk) => chunked.hash(chunk)));
    expect(toHex(await chunked.tag(bytes.length))).toBe(toHex(await whole.tag(bytes.length)));
  });
});

/** Encrypts the zero block and the first counter block: both by AES-CTR over zeros. */
async function computeHashKeyAndMask(): Promise<[bigint, bigint]> {
  const key = await crypto.subtle.importKey("raw", new Uint8Array(options.key), "AES-CTR", false, ["encrypt"]);
  const encryptBlock = async (counter: Uint8Array) => {
    const settings = { name: "AES-CTR", counter: new Uint8Array(counter), length: 128 };
    return toBigInt(new Uint8Array(await crypto.subtle.encrypt(settings, key, new Uint8Array(16))));
  };
  return [await encryptBlock(new Uint8Array(16)), await encryptBlock(concat([options.iv, Uint8Array.of(0, 0, 0, 1)]))];
}
