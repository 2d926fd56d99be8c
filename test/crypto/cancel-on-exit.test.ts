import { describe, expect, test } from "vitest";
import { decryptUntrusted } from "../../src/crypto/decrypt.ts";
import { encryptChunks, prepareEncryption } from "../../src/crypto/encrypt.ts";
import { MAX_PLAINTEXT_BYTES } from "../../src/crypto/file-format.ts";
import { collect, someBytes } from "./helpers.ts";

const masterKey = "ab".repeat(32);
const CHUNK = 1024 * 1024;

/** A source that counts how often it was told to stop. */
function watched(pieces: Uint8Array[], failure?: Error) {
  const iterator = pieces.values();
  const watch = { asked: 0, stopped: 0 };
  const source: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        watch.asked++;
        const result = iterator.next();
        if (result.done && failure) throw failure;
        return result;
      },
      async return() {
        watch.stopped++;
        return { done: true, value: undefined };
      },
    }),
  };
  return { watch, source };
}

const encrypt = async (source: AsyncIterable<Uint8Array>) => encryptChunks(source, await prepareEncryption(masterKey));
const decrypt = async (source: AsyncIterable<Uint8Array>) => decryptUntrusted(source, masterKey);

describe.each([
  ["encrypted", encrypt],
  ["decrypted", decrypt],
])("the source of a file that is being %s", (_what, transform) => {
  const endless = [someBytes(CHUNK), someBytes(CHUNK), someBytes(CHUNK), someBytes(CHUNK)];

  test.each([0, 1, 2])("is told to stop, once, when the consumer stops after %i pieces", async (count) => {
    const { watch, source } = watched(endless);
    const generator = await transform(source);
    for (let taken = 0; taken < count; taken++) expect((await generator.next()).done).toBe(false);
    await generator.return();
    expect(watch.stopped).toBe(1);
    await generator.return();
    expect(watch.stopped).toBe(1);
    expect(await generator.next()).toEqual({ done: true, value: undefined });
  });

  test("is told to stop when the consumer leaves its loop", async () => {
    const { watch, source } = watched(endless);
    for await (const piece of await transform(source)) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
    expect(watch.stopped).toBe(1);
  });

  test("is not asked for anything before its consumer asks", async () => {
    const { watch, source } = watched(endless);
    await transform(source);
    expect(watch.asked).toBe(0);
  });

  test("is not told to stop when it failed by itself, and its failure comes through as it is", async () => {
    const failure = new Error("The disk is gone");
    const { watch, source } = watched([someBytes(100)], failure);
    await expect(collect(await transform(source))).rejects.toBe(failure);
    expect(watch.stopped).toBe(0);
  });
});

test("a source that gives more than can be encrypted is told to stop", async () => {
  const { watch, source } = watched([{ length: MAX_PLAINTEXT_BYTES + 1 } as Uint8Array, someBytes(1)]);
  await expect(collect(await encrypt(source))).rejects.toMatchObject({ code: "FILE_TOO_LARGE" });
  expect(watch).toEqual({ asked: 1, stopped: 1 });
});

test("a source that came to its end is not told to stop", async () => {
  const { watch, source } = watched([someBytes(100)]);
  expect(await collect(await encrypt(source))).toHaveLength(144);
  expect(watch.stopped).toBe(0);
});

test("an invalid master key stops the ciphertext's source before it gave anything", async () => {
  const { watch, source } = watched([someBytes(100)]);
  await expect(collect(decryptUntrusted(source, "no key"))).rejects.toMatchObject({ code: "INVALID_KEY" });
  expect(watch).toEqual({ asked: 0, stopped: 1 });
});
