import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { FILE_SIZES, findCut, TREE_SIZES } from "../src/chunker.ts";
import { decodeChunk, encodeChunk } from "../src/codec.ts";
import { createKeys, decrypt, encrypt } from "../src/keys.ts";
import {
  createPackHeader,
  decodeDirectory,
  encodeDirectory,
  openPackHeader,
  readDirectory,
  sealDirectory,
} from "../src/pack-format.ts";
import { openSealedFile, readRepositoryName, sealFile } from "../src/sealed-file.ts";

const secret = Uint8Array.from({ length: 32 }, (_, at) => at);
const salt = Uint8Array.from({ length: 32 }, (_, at) => 0xff - at);
const keys = createKeys(secret);
const hello = Buffer.from("hello");
const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

async function createPack() {
  const key = keys.deriveKey("pack", salt);
  const chunk = encrypt(key, 0, await encodeChunk(hello));
  const chunks = [{ id: keys.toId(hello), number: 0, at: 48, sealed: chunk.length, size: 5 }];
  const directory = { createdAt: 1_700_000_000_000, chunks };
  return { directory, pack: Buffer.concat([createPackHeader(salt), chunk, sealDirectory(directory, key)]) };
}

const mark = { version: 1, createdAt: 1_700_000_000_000, packs: [] };

test("the page of the format has these vectors", async () => {
  const page = await readFile(new URL("../../../docs/backup-format.md", import.meta.url), "utf8");
  const bytes = Array.from({ length: (3 * 1024 * 1024) / 32 }, (_, at) =>
    createHash("sha256").update(String(at)).digest(),
  );
  const lengths = [FILE_SIZES, TREE_SIZES].map((sizes) => {
    const found: number[] = [];
    for (let rest = Buffer.concat(bytes); rest.length > 0 && found.length < 6; ) {
      const length = findCut(rest, sizes, keys.gear);
      found.push(length);
      rest = rest.subarray(length);
    }
    return found.join(" ");
  });
  const { directory, pack } = await createPack();
  const vectors = [
    toHex(secret),
    toHex(salt),
    keys.toId(hello),
    ...(["pack", "snapshot", "mark"] as const).map((purpose) => toHex(keys.deriveKey(purpose, salt))),
    `${keys.gear.high[0]?.toString(16)}${keys.gear.low[0]?.toString(16)}`,
    ...lengths,
    toHex(encodeDirectory(directory)),
    toHex(pack),
    toHex(sealFile("mark", "bafkqaaa", mark, keys, salt)),
  ];
  const text = page.replaceAll(/\s+/g, "");
  expect(vectors.filter((vector) => !text.includes(vector.replaceAll(" ", "")))).toEqual([]);
});

test("a pack, a directory or a sealed file that is changed anywhere is refused", async () => {
  const { directory, pack } = await createPack();
  const open = (bytes: Buffer, own = keys) =>
    readDirectory(bytes.length, async (from, to) => bytes.subarray(from, to), own);
  expect(await open(pack)).toEqual(directory);
  expect(await open(pack, createKeys(salt))).toBeUndefined();
  for (let at = 0; at < pack.length; at++) {
    const changed = Buffer.from(pack);
    changed[at] = (changed[at] ?? 0) ^ 1;
    const found = await open(changed);
    // What is between the header and the directory is the chunk.
    const key = openPackHeader(changed.subarray(0, 48), keys);
    const chunk = key && decrypt(key, 0, changed.subarray(48, 48 + 22));
    expect(found === undefined || chunk === undefined).toBe(true);
  }
  for (let length = 0; length < pack.length; length++) expect(await open(pack.subarray(0, length))).toBeUndefined();
  const file = sealFile("mark", "bafkqaaa", mark, keys, salt);
  expect(openSealedFile("mark", file, keys)).toEqual(mark);
  expect(readRepositoryName("mark", file)).toBe("bafkqaaa");
  expect(openSealedFile("snapshot", file, keys)).toBeUndefined();
  for (let at = 0; at < file.length; at++) {
    const changed = Uint8Array.from(file);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(openSealedFile("mark", changed, keys)).toBeUndefined();
  }
  expect(decodeDirectory(Buffer.alloc(9))).toBeUndefined();
});

test("a chunk that would be longer than its directory says is not decompressed further", async () => {
  const bomb = await encodeChunk(Buffer.alloc(4_000_000));
  expect(bomb.length).toBeLessThan(1_000);
  expect(await decodeChunk(bomb, 1_000)).toBeUndefined();
  expect(await decodeChunk(bomb, 4_000_001)).toBeUndefined();
  expect((await decodeChunk(bomb, 4_000_000))?.length).toBe(4_000_000);
  expect(await decodeChunk(Buffer.from([7, 1]), 1)).toBeUndefined();
});
