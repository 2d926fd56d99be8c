import { describe, expect, test, vi } from "vitest";
import { decryptUntrusted } from "../../src/formats/crypto/decrypt.ts";
import { encryptChunks, prepareEncryption } from "../../src/formats/crypto/encrypt.ts";
import {
  encryptedSize,
  MAX_PLAINTEXT_BYTES,
  OVERHEAD_BYTES,
  plaintextSize,
} from "../../src/formats/crypto/file-format.ts";
import { interopVectors } from "../support/vectors.ts";
import {
  collect,
  concat,
  cutEvery,
  cuts,
  fromBase64,
  fromHex,
  listChunks,
  someBytes,
  streamChunks,
  toHex,
} from "./helpers.ts";

const masterKey = "0123456789abcdef".repeat(4);
const damaged = { code: "CANNOT_DECRYPT", message: "Decryption failed: wrong key, or the file is damaged" };

function open(file: Uint8Array, length = Number.POSITIVE_INFINITY, key = masterKey): Promise<Uint8Array> {
  return collect(decryptUntrusted(streamChunks(cutEvery(file, length)), key));
}

/** As many bytes, without their memory: those of its segments are left out, and `tail` is the last of them. */
function hollow(length: number, tail?: Uint8Array): Uint8Array {
  const subarray = (start: number, end = length) => {
    if (tail && start === length - tail.length) return tail;
    return end - start > 1024 * 1024 ? hollow(end - start, end === length ? tail : undefined) : new Uint8Array();
  };
  return { length, subarray } as unknown as Uint8Array;
}

async function seal(plaintext: Uint8Array, length = Number.POSITIVE_INFINITY): Promise<Uint8Array> {
  return collect(encryptChunks(streamChunks(cutEvery(plaintext, length)), await prepareEncryption(masterKey)));
}

describe.concurrent.each(cuts)("a file of an older client, read %s", (_cut, length) => {
  test.each(interopVectors.files.map((file, index) => ({ ...file, index })))(
    "number $index ($label) opens",
    async ({ masterKey: key, ciphertext, plaintext }) => {
      expect(toHex(await open(fromBase64(ciphertext), length, key))).toBe(toHex(fromBase64(plaintext)));
    },
  );
});

test.each(interopVectors.files.map((file, index) => ({ ...file, index })))(
  "with the salt and iv of an older client's file $index, encryption yields the same file",
  async ({ masterKey: key, ciphertext, plaintext }) => {
    const expected = fromBase64(ciphertext);
    const nonces = { salt: expected.slice(0, 16), iv: expected.slice(16, 28) };
    const sealed = encryptChunks(streamChunks([fromBase64(plaintext)]), await prepareEncryption(key, nonces));
    expect(toHex(await collect(sealed))).toBe(toHex(expected));
  },
);

describe("an encrypted file", () => {
  test.each([0, 1, 15, 16, 17, 255, 1024 * 1024 + 1])("of %i bytes is 44 larger, and opens", async (size) => {
    const plaintext = someBytes(size);
    const file = await seal(plaintext, 100_000);
    expect(file.length).toBe(size + 44);
    const opened = await open(file, 77_777);
    expect(opened.length).toBe(size);
    expect(opened.every((byte, index) => byte === plaintext[index])).toBe(true);
  });

  test("starts with salt and iv, in a chunk of their own, and ends with the tag", async () => {
    const nonces = { salt: someBytes(16, 7), iv: someBytes(12, 8) };
    const chunks = await listChunks(
      encryptChunks(streamChunks([someBytes(10)]), await prepareEncryption(masterKey, nonces)),
    );
    expect(toHex(chunks.at(0) ?? new Uint8Array())).toBe(toHex(concat([nonces.salt, nonces.iv])));
    expect(chunks.at(-1)).toHaveLength(16);
  });

  test("never repeats salt or iv", async () => {
    const [first, second] = [await seal(new Uint8Array()), await seal(new Uint8Array())];
    expect(toHex(first.slice(0, 16))).not.toBe(toHex(second.slice(0, 16)));
    expect(toHex(first.slice(16, 28))).not.toBe(toHex(second.slice(16, 28)));
  });

  test("is refused at the first byte above the cipher's limit", async () => {
    const much = { length: MAX_PLAINTEXT_BYTES + 1 } as Uint8Array;
    const sealed = encryptChunks(streamChunks([much]), await prepareEncryption(masterKey));
    await expect(collect(sealed)).rejects.toMatchObject({ code: "FILE_TOO_LARGE" });
  });

  test("may be as large as the cipher allows, and never yields an empty chunk", async () => {
    const header = (await seal(new Uint8Array())).slice(0, 28);
    const nonces = { salt: header.slice(0, 16), iv: header.slice(16) };
    const sealed = encryptChunks(
      streamChunks([hollow(MAX_PLAINTEXT_BYTES)]),
      await prepareEncryption(masterKey, nonces),
    );
    const [written, tag = new Uint8Array(), ...more] = await listChunks(sealed);
    expect([written, more]).toEqual([header, []]);
    const files = [
      [header, hollow(MAX_PLAINTEXT_BYTES), tag],
      [header, hollow(MAX_PLAINTEXT_BYTES + 16, tag)],
    ];
    for (const file of files) expect(await listChunks(decryptUntrusted(streamChunks(file), masterKey))).toEqual([]);
    const larger = [
      [header, hollow(MAX_PLAINTEXT_BYTES + 1), tag],
      [header, hollow(MAX_PLAINTEXT_BYTES + 17, tag)],
    ];
    for (const file of larger) {
      await expect(collect(decryptUntrusted(streamChunks(file), masterKey))).rejects.toMatchObject(damaged);
    }
  });

  test.each([{}, undefined])("is not made without crypto.getRandomValues: crypto is %o", async (crypto) => {
    vi.stubGlobal("crypto", crypto);
    try {
      await expect(prepareEncryption(masterKey)).rejects.toMatchObject({
        code: "UNSUPPORTED",
        message: expect.stringContaining("encryption, as there is no crypto.getRandomValues"),
      });
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test("can be made only once from one preparation", async () => {
    const prepared = await prepareEncryption(masterKey);
    await collect(encryptChunks(streamChunks([someBytes(3)]), prepared));
    await expect(collect(encryptChunks(streamChunks([someBytes(3)]), prepared))).rejects.toThrow("one file only");
  });

  test("accepts a master key in upper case as the same key", async () => {
    const sealed = encryptChunks(streamChunks([someBytes(3)]), await prepareEncryption(masterKey.toUpperCase()));
    expect(toHex(await open(await collect(sealed)))).toBe(toHex(someBytes(3)));
  });
});

describe.concurrent("a damaged file is refused with one error", () => {
  const plaintext = someBytes(40);
  const sealed = seal(plaintext);

  test.each([0, 15, 16, 27, 28, 48, 67, 68, 83])("byte %i changed", async (index) => {
    const file = (await sealed).slice();
    file[index] = (file[index] ?? 0) ^ 0x10;
    await expect(open(file, 9)).rejects.toMatchObject(damaged);
  });

  test.each([0, 1, 15, 16, 17, 27, 28, 29, 43, 44, 45, 60, 67, 68, 83])("cut to %i bytes", async (length) => {
    await expect(open((await sealed).slice(0, length), 5)).rejects.toMatchObject(damaged);
  });

  test.each([1, 15, 16, 17, 44])("%i bytes added at the end", async (length) => {
    await expect(open(concat([await sealed, new Uint8Array(length)]))).rejects.toMatchObject(damaged);
  });

  test("without its first byte, with its chunks swapped, or with another file's key", async () => {
    const file = await sealed;
    await expect(open(file.slice(1))).rejects.toMatchObject(damaged);
    const swapped = concat([file.slice(0, 28), file.slice(44, 60), file.slice(28, 44), file.slice(60)]);
    await expect(open(swapped)).rejects.toMatchObject(damaged);
    await expect(open(file, 50, "f".repeat(64))).rejects.toMatchObject(damaged);
  });

  test("longer than any file can be", async () => {
    const much = {
      length: MAX_PLAINTEXT_BYTES,
      subarray: (_start: number, end?: number) => (end === 0 ? new Uint8Array() : much),
    } as unknown as Uint8Array;
    const file = streamChunks([(await sealed).slice(0, 44), much, much]);
    await expect(collect(decryptUntrusted(file, masterKey))).rejects.toMatchObject(damaged);
  });
});

describe("a master key", () => {
  const secret = "deadbeef".repeat(8);
  test.each([
    ["too short", secret.slice(1)],
    ["too long", `${secret}0`],
    ["not hexadecimal", `${secret.slice(1)}g`],
    ["with 0x", `0x${secret.slice(2)}`],
    ["with a line break", `${secret}\n`],
    ["empty", ""],
    ["missing", undefined],
    ["passed as bytes", fromHex(secret)],
    ["in a list", [secret]],
  ])("%s is refused, and not repeated in the error", async (_what, key) => {
    const wrong = key as string;
    const error = await prepareEncryption(wrong).catch((reason) => reason);
    expect(error).toMatchObject({
      code: "INVALID_KEY",
      message: "Invalid master key: expected 64 hexadecimal characters",
    });
    expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toContain("deadbeef");
    await expect(collect(decryptUntrusted(streamChunks([]), wrong))).rejects.toMatchObject({ code: "INVALID_KEY" });
  });

  test("is not visible in what was prepared with it", async () => {
    const prepared = await prepareEncryption(secret);
    expect(JSON.stringify(prepared)).toBe("{}");
    expect(Object.values(prepared).every((value) => typeof value === "function")).toBe(true);
  });
});

test("encrypted sizes are 44 bytes larger; there is no decrypted size below 44", () => {
  expect(OVERHEAD_BYTES).toBe(44);
  expect(MAX_PLAINTEXT_BYTES).toBe(68_719_476_704);
  expect(encryptedSize(0)).toBe(44);
  expect(encryptedSize(MAX_PLAINTEXT_BYTES)).toBe(68_719_476_748);
  expect(plaintextSize(44)).toBe(0);
  expect(plaintextSize(encryptedSize(5_000_000_000))).toBe(5_000_000_000);
  expect(() => plaintextSize(43)).toThrow(expect.objectContaining(damaged));
});
