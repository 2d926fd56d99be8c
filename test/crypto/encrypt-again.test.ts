import { expect, test } from "vitest";
import { decryptUntrusted, encryptAgain, type Undo } from "../../src/formats/crypto/decrypt.ts";
import { encryptBytes } from "../../src/index.ts";

const KIB = 1024;
const key = "0b".repeat(32);
const wrongKey = "0c".repeat(32);

async function* chunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

function equal(a: readonly Uint8Array[], b: Uint8Array): boolean {
  const length = a.reduce((sum, { length }) => sum + length, 0);
  let at = 0;
  return length === b.length && a.every((chunk) => chunk.every((byte) => byte === b[at++]));
}

test.each([0, 1, 15, 16, 17, 70 * KIB + 3, 512 * KIB, 512 * KIB + 1, 1300 * KIB + 7])(
  "the encrypted file of %d bytes is made again of what a wrong key made of it",
  async (size) => {
    const plain = Uint8Array.from({ length: size }, (_, at) => (at * 31 + (at >> 8)) % 251);
    const encrypted = await encryptBytes(plain, key);
    const output: Uint8Array[] = [];
    const found: { undo?: Undo } = {};
    const reading = async () => {
      const untrusted = decryptUntrusted(chunks(encrypted, 100_003), wrongKey, (undo) => {
        found.undo = undo;
      });
      for await (const chunk of untrusted) output.push(chunk);
    };
    await expect(reading()).rejects.toMatchObject({ code: "CANNOT_DECRYPT" });
    expect(output.reduce((sum, { length }) => sum + length, 0)).toBe(size);
    if (!found.undo) throw new Error("the end of the output was not reported");

    const again: Uint8Array[] = [];
    const written = async function* () {
      yield* output;
    };
    for await (const chunk of encryptAgain(written(), found.undo)) again.push(chunk);
    expect(equal(again, encrypted)).toBe(true);
  },
);

test("a file truncated before its tag has no output to re-encrypt", async () => {
  const encrypted = await encryptBytes(new Uint8Array(0), key);
  let reported = false;
  const untrusted = decryptUntrusted(chunks(encrypted.subarray(0, 43), 10), key, () => {
    reported = true;
  });
  await expect(untrusted.next()).rejects.toMatchObject({ code: "CANNOT_DECRYPT" });
  expect(reported).toBe(false);
});
