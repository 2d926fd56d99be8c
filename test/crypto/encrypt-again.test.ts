import { expect, test } from "vitest";
import { createDecryption, encryptAgain } from "../../src/formats/crypto/decrypt.ts";
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
    const decryption = createDecryption({ write: async (chunk) => void output.push(chunk) }, wrongKey);
    for await (const chunk of chunks(encrypted, 100_003)) await decryption.write(chunk);
    const undo = await decryption.flush();
    await expect(decryption.finish()).rejects.toMatchObject({ code: "CANNOT_DECRYPT" });
    expect(output.reduce((sum, { length }) => sum + length, 0)).toBe(size);

    const again: Uint8Array[] = [];
    const written = async function* () {
      yield* output;
    };
    for await (const chunk of encryptAgain(written(), undo)) again.push(chunk);
    expect(equal(again, encrypted)).toBe(true);
  },
);

test("a file truncated before its tag has no output to re-encrypt, and no tag that is right", async () => {
  const encrypted = await encryptBytes(new Uint8Array(0), key);
  for (const size of [0, 27, 43]) {
    const decryption = createDecryption({ write: async () => undefined }, key);
    for await (const chunk of chunks(encrypted.subarray(0, size), 10)) await decryption.write(chunk);
    await expect(decryption.flush()).rejects.toMatchObject({ code: "CANNOT_DECRYPT" });
    await expect(decryption.finish()).rejects.toMatchObject({ code: "CANNOT_DECRYPT" });
  }
});
