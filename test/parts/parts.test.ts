import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { decryptBytes, encryptBytes, kavachGenerate } from "../../src/index.ts";
import * as parts from "../../src/parts/index.ts";
import * as nodeParts from "../../src/parts/node.ts";

const page = readFileSync(new URL("../../docs/parts.md", import.meta.url), "utf8");

test("the page about parts names each of them", () => {
  const names = [...Object.keys(parts), ...Object.keys(nodeParts)];
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => !new RegExp(`\`${name}\``).test(page))).toEqual([]);
});

test("the parts stay few", () => {
  const folder = new URL("../../src/parts/", import.meta.url);
  const sources = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), "utf8"));
  const exports = Array.from(sources.join().matchAll(/^export (?:type )?\{([^}]*)\}/gm), ([, names = ""]) => names);
  const names = exports.flatMap((list) => list.split(",").filter((name) => name.trim() !== ""));
  expect(names.length).toBeLessThanOrEqual(146);
});

const salt = new Uint8Array(16).fill(7);
const plain = new TextEncoder().encode("the same letter, sent twice");

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const collected: Uint8Array[] = [];
  for await (const chunk of chunks) collected.push(chunk);
  return new Uint8Array(Buffer.concat(collected));
}

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test("a file cipher writes and reads what other calls do, however it is cut into chunks", async () => {
  const { masterKey } = await kavachGenerate();
  const cipher = parts.createFileCipher(masterKey);
  for (const size of [1, 7, 1000]) {
    const encrypted = await collect(cipher.encrypt(inChunks(plain, size), salt));
    expect(encrypted).toHaveLength(parts.encryptedSize(plain.length));
    expect(await decryptBytes(encrypted, masterKey)).toEqual(plain);
    const other = await encryptBytes(plain, masterKey);
    expect(await collect(cipher.decrypt(inChunks(other, size)))).toEqual(plain);
  }
});

test("a file cipher never encrypts twice with the same iv, and refuses what was changed or cut", async () => {
  const { masterKey } = await kavachGenerate();
  const cipher = parts.createFileCipher(masterKey);
  const [first, second] = await Promise.all(
    [plain, plain].map((bytes) => collect(cipher.encrypt(inChunks(bytes, 5), salt))),
  );
  if (!first) throw new Error("nothing is encrypted");
  expect(first).not.toEqual(second);
  const changed = Uint8Array.from(first, (byte, at) => (at === 40 ? byte ^ 1 : byte));
  for (const wrong of [changed, first.subarray(0, -1), first.subarray(0, 20)]) {
    await expect(collect(cipher.decrypt(inChunks(wrong, 9)))).rejects.toMatchObject({ code: "CANNOT_DECRYPT" });
  }
});

test("content ids are comparable in one form", () => {
  const cid = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG";
  const normal = parts.normalizeCid(cid);
  expect(normal).toMatch(/^bafybei/);
  expect(parts.normalizeCid(normal)).toBe(normal);
  expect(parts.normalizeCid("no content id")).toBe("no content id");
  for (const start of ["z", "Qm"]) {
    const long = start + "2".repeat(2_000_000);
    expect(parts.normalizeCid(long)).toBe(long);
  }
});
