import { describe, expect, test } from "vitest";
import { cancelOnExit } from "../../src/formats/crypto/cancel-on-exit.ts";
import { decryptUntrusted } from "../../src/formats/crypto/decrypt.ts";
import { encryptChunks, prepareEncryption } from "../../src/formats/crypto/encrypt.ts";
import { MAX_PLAINTEXT_BYTES } from "../../src/formats/crypto/file-format.ts";
import { collect, someBytes } from "./helpers.ts";

const masterKey = "ab".repeat(32);
const CHUNK = 1024 * 1024;

/** Creates a source that counts its reads and cancellations. */
function createWatchedSource(chunks: Uint8Array[], failure?: Error) {
  const iterator = chunks.values();
  const watch = { reads: 0, cancels: 0 };
  const source: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        watch.reads++;
        const result = iterator.next();
        if (result.done && failure) throw failure;
        return result;
      },
      async return() {
        watch.cancels++;
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
])("the source of a file being %s", (_what, transform) => {
  const endless = [someBytes(CHUNK), someBytes(CHUNK), someBytes(CHUNK), someBytes(CHUNK)];

  test.each([0, 1, 2])("is cancelled once when the consumer stops after %i chunks", async (count) => {
    const { watch, source } = createWatchedSource(endless);
    const generator = await transform(source);
    for (let taken = 0; taken < count; taken++) expect((await generator.next()).done).toBe(false);
    await generator.return();
    expect(watch.cancels).toBe(1);
    await generator.return();
    expect(watch.cancels).toBe(1);
    expect(await generator.next()).toEqual({ done: true, value: undefined });
  });

  test("is cancelled when the consumer breaks out of its loop", async () => {
    const { watch, source } = createWatchedSource(endless);
    for await (const chunk of await transform(source)) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    expect(watch.cancels).toBe(1);
  });

  test("is not read before its consumer reads", async () => {
    const { watch, source } = createWatchedSource(endless);
    await transform(source);
    expect(watch.reads).toBe(0);
  });

  test("is not cancelled when it fails itself, and its error is rethrown unchanged", async () => {
    const failure = new Error("The disk is gone");
    const { watch, source } = createWatchedSource([someBytes(100)], failure);
    await expect(collect(await transform(source))).rejects.toBe(failure);
    expect(watch.cancels).toBe(0);
  });
});

test("a source that yields more than can be encrypted is cancelled", async () => {
  const { watch, source } = createWatchedSource([{ length: MAX_PLAINTEXT_BYTES + 1 } as Uint8Array, someBytes(1)]);
  await expect(collect(await encrypt(source))).rejects.toMatchObject({ code: "FILE_TOO_LARGE" });
  expect(watch).toEqual({ reads: 1, cancels: 1 });
});

test("a source that reached its end is not cancelled", async () => {
  const { watch, source } = createWatchedSource([someBytes(100)]);
  expect(await collect(await encrypt(source))).toHaveLength(144);
  expect(watch.cancels).toBe(0);
});

test("an invalid master key cancels the ciphertext's source before it is read", async () => {
  const { watch, source } = createWatchedSource([someBytes(100)]);
  await expect(collect(decryptUntrusted(source, "no key"))).rejects.toMatchObject({ code: "INVALID_KEY" });
  expect(watch).toEqual({ reads: 0, cancels: 1 });
});

test("a source is cancelled when the transform ends before it", async () => {
  const { watch, source } = createWatchedSource([someBytes(1), someBytes(2)]);
  const firstOnly = cancelOnExit(source, async function* (chunks) {
    for await (const chunk of chunks) {
      yield chunk;
      return;
    }
  });
  expect(await collect(firstOnly)).toHaveLength(1);
  expect(watch).toEqual({ reads: 1, cancels: 1 });
});

test("a source without `return` may be left early", async () => {
  const next = async () => ({ done: false, value: someBytes(1) });
  const generator = await encrypt({ [Symbol.asyncIterator]: () => ({ next }) });
  expect(await generator.return()).toEqual({ done: true, value: undefined });
});
