import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { kavachShardKey, upload, uploadEncrypted, uploadTextEncrypted } from "../../../src/index.ts";
import { createFileCipher } from "../../../src/parts/index.ts";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import {
  backupFolder,
  diffSnapshots,
  forgetSnapshot,
  forgetSnapshots,
  listEntries,
  listSnapshots,
  restoreBackup,
} from "../src/index.ts";
import { prepareBackup, readTree } from "./rig.ts";

// Snapshots of the first format, which this package reads and does not write.

const devnet = devnetForTests();

afterEach(() => {
  devnet().faults.clear();
  devnet().attacks.clear();
  for (const node of [1, 2, 3, 4, 5]) devnet().startNode(node);
});

const SET = "0123456789abcdef";
const KEY = "5c".repeat(32);

const hash = (text: string) => createHash("sha256").update(text).digest("hex");

type Prepared = Awaited<ReturnType<typeof prepareBackup>>;

async function* once(bytes: Uint8Array) {
  yield bytes;
}

/** Stores a file, encrypted under the key of the snapshot; returns its entry. */
async function storeFile(
  { options: { apiKey, endpoints } }: Prepared,
  path: string,
  text: string,
  key: string | undefined,
) {
  const plain = new TextEncoder().encode(text);
  const stored =
    key === undefined ? once(plain) : createFileCipher(key).encrypt(once(plain), new Uint8Array(16).fill(7));
  const bytes = new Uint8Array(await buffer(stored));
  const [{ Hash: cid }] = await upload(bytes, { apiKey, endpoints, name: "1" });
  return { kind: "file", path, mode: 0o640, mtime: 1_000_000_000_123, size: plain.length, sha256: hash(text), cid };
}

/** Stores a snapshot that has these entries; returns its content id. */
async function storeSnapshot({ options }: Prepared, entries: readonly (object | null)[], header: object = {}) {
  const files = entries.filter((entry): entry is { size: number } => entry !== null && "size" in entry);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const first = { type: "keeplight snapshot", version: 1, set: SET, name: "letters", createdAt: 1 };
  const lines = [{ ...first, files: files.length, bytes, ...header }, ...entries];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const { state: _, ...owner } = options;
  const [stored] = await uploadEncrypted(new File([text], `keeplight-backup-${SET}.1.snapshot`), owner);
  return stored.Hash;
}

async function storeLetters(prepared: Prepared, key: string | undefined) {
  return storeSnapshot(
    prepared,
    [
      await storeFile(prepared, "a.txt", "first", key),
      { kind: "folder", path: "b", mode: 0o750, mtime: 1_000_000_000_000 },
      await storeFile(prepared, "b/c.txt", "x".repeat(300_000), key),
      { kind: "link", path: "b/d", target: "../a.txt" },
      { kind: "file", path: "empty", mode: 0o600, mtime: -5_000, size: 0, sha256: hash("") },
    ],
    key === undefined ? {} : { key },
  );
}

test.each([
  ["encrypted", KEY],
  ["public", undefined],
])("a snapshot of %s files is listed and restored, and the same call continues that", async (_, key) => {
  const prepared = await prepareBackup(devnet(), {}, { accountNumber: key ? 0 : 1 });
  const { place, options, reader } = prepared;
  const cid = await storeLetters(prepared, key);
  const { state: __, ...account } = options;
  const { snapshots } = await listSnapshots(account);
  expect(snapshots).toMatchObject([{ cid, root: "letters", createdAt: 1, files: 3, isFirstFormat: true }]);
  const paths: string[] = [];
  for await (const { path } of listEntries(cid, reader)) paths.push(path);
  expect(paths).toEqual(["a.txt", "b", "b/c.txt", "b/d", "empty"]);
  const to = join(place, "to");
  expect(await restoreBackup(cid, to, reader)).toMatchObject({ files: 3, restored: 3, skipped: [] });
  expect(await readTree(to)).toMatchObject({
    "a.txt": `file 640 1000000000123 a.txt ${hash("first")}`,
    b: "folder 750 1000000000000",
    "b/c.txt": `file 640 1000000000123 b/c.txt ${hash("x".repeat(300_000))}`,
    "b/d": expect.stringMatching(/^link \d+ \.\.\/a\.txt$/),
    empty: `file 600 -5000 empty ${hash("")}`,
  });
  await writeFile(join(to, "a.txt"), "mine");
  expect((await failure(restoreBackup(cid, to, reader))).code).toBe("FILE_EXISTS");
  expect(await restoreBackup(cid, to, { ...reader, overwrite: true })).toMatchObject({ restored: 1 });
  expect(await restoreBackup(cid, join(place, "part"), { ...reader, path: "b" })).toMatchObject({ files: 1 });
  expect(Object.keys(await readTree(join(place, "part")))).toEqual(["b", "b/c.txt", "b/d"]);
  const own = (await readdir(tmpdir())).filter(
    (name) => name.startsWith(`.keeplight-`) && name.includes(`-${process.pid}-`),
  );
  expect(own).toEqual([]);
});

test("it is beside snapshots of this format, which rules forget; one is forgotten by its content id", async () => {
  const prepared = await prepareBackup(devnet(), { "a.txt": "first" }, { accountNumber: 2 });
  const { folder, options, reader } = prepared;
  const { state: _, ...account } = options;
  const first = await storeLetters(prepared, KEY);
  const other = await storeSnapshot(prepared, [await storeFile(prepared, "a.txt", "other", KEY)], {
    key: KEY,
    createdAt: 2,
  });
  const { cid } = await backupFolder(folder, options);
  const list = async () => (await listSnapshots(account)).snapshots.map((each) => each.cid);
  expect(await list()).toEqual([cid, other, first]);
  const changes: string[] = [];
  for await (const { path, change } of diffSnapshots(first, other, reader)) changes.push(`${change} ${path}`);
  expect(changes).toEqual(["content a.txt", "removed b", "removed b/c.txt", "removed b/d", "removed empty"]);
  await forgetSnapshots({ ...account, keep: { last: 1 } });
  expect(await list()).toEqual([cid, other, first]);
  await forgetSnapshot(other, account);
  await forgetSnapshot(cid, account);
  expect(await list()).toEqual([first]);
  expect((await failure(forgetSnapshot(cid, account))).code).toBe("INVALID_OPTION");
});

test("it is listed while two key nodes are down, and one returns another shard", async () => {
  const prepared = await prepareBackup(devnet(), {}, { accountNumber: 3 });
  const { state: _, ...account } = prepared.options;
  const cid = await storeLetters(prepared, KEY);
  const once = { ...account, attempts: 1 };
  for (const node of [1, 2]) devnet().stopNode(node);
  expect((await listSnapshots(once)).snapshots).toHaveLength(1);
  devnet().stopNode(3);
  expect((await listSnapshots(once)).unread).toEqual([{ cid, code: "NODES_FAILED" }]);
  for (const node of [1, 2, 3]) devnet().startNode(node);
  const { keyShards } = await kavachShardKey("11".repeat(32));
  devnet().attacks.add({ kind: "return-shards", cid, shards: { 3: keyShards[2] } });
  expect((await listSnapshots(once)).snapshots).toHaveLength(1);
});

/** Stores a snapshot that somebody has written by hand; returns what restores it. */
async function forge(entries: readonly (object | null)[], header: object = {}) {
  const prepared = await prepareBackup(devnet(), {});
  const file = await storeFile(prepared, "", "first", undefined);
  const filled = entries.map(
    (entry) => entry && ("kind" in entry ? { mode: 0o600, mtime: 0, ...entry } : { ...file, ...entry }),
  );
  const cid = await storeSnapshot(prepared, filled, header);
  const inside = join(prepared.place, "inside");
  const to = join(inside, "to");
  return { to, inside, restore: (more = {}) => restoreBackup(cid, to, { ...prepared.reader, ...more }) };
}

test.each([
  ["a path that leads out", [{ path: "../a" }]],
  ["one that does so later", [{ path: "a/../../b" }]],
  ["an absolute path", [{ path: "/a" }]],
  ["a NUL in a path", [{ path: "a\0b" }]],
  ["an empty path", [{ path: "" }]],
  ["two files of one path", [{ path: "a" }, { path: "a" }]],
  ["files in another order", [{ path: "b" }, { path: "a" }]],
  ["a file below a link", [{ kind: "link", path: "a", target: "/tmp" }, { path: "a/b" }]],
  ["a file below a file", [{ path: "a" }, { path: "a/b" }]],
  ["a mode with special bits", [{ path: "a", mode: 0o4755 }]],
  ["no content id", [{ path: "a", cid: undefined }]],
  ["another kind", [{ kind: "device", path: "a" }]],
  ["no file", [null]],
  ["a line without an end", [{ path: "a".repeat(300_000) }]],
])("a snapshot with %s is refused, and nothing is written", async (_, entries) => {
  const { inside, restore } = await forge(entries);
  expect((await failure(restore())).code).toBe("INVALID_SNAPSHOT");
  expect(await lstat(inside).catch(({ code }) => code)).toBe("ENOENT");
});

test("a snapshot that is incomplete, of another kind or of a later version is refused", async () => {
  for (const header of [{ files: 2 }, { bytes: 1 }, { type: "other" }, { version: 2 }, { key: "short" }]) {
    const { restore } = await forge([{ path: "a" }], header);
    expect((await failure(restore())).code).toBe("INVALID_SNAPSHOT");
  }
});

test("a file with other bytes than the snapshot says does not get its name", async () => {
  for (const wrong of [{ sha256: "0".repeat(64) }, { size: 4 }, { size: 6 }]) {
    const { to, restore } = await forge([{ path: "a", ...wrong }]);
    expect(await failure(restore())).toMatchObject({
      code: "RESTORE_UNFINISHED",
      details: { failed: [{ path: "a", code: "INVALID_SNAPSHOT" }] },
    });
    expect(await readdir(to)).toEqual([]);
  }
  const { to, restore } = await forge([{ path: "a" }], { key: "0".repeat(64) });
  expect(await failure(restore())).toMatchObject({
    code: "RESTORE_UNFINISHED",
    details: { failed: [{ path: "a", code: "CANNOT_DECRYPT" }] },
  });
  expect(await readdir(to)).toEqual([]);
});

test("nothing is written through links, no matter who has made them", async () => {
  const { to, inside, restore } = await forge([{ kind: "folder", path: "a" }, { path: "a/b" }]);
  await mkdir(join(inside, "elsewhere"), { recursive: true });
  await mkdir(to);
  await symlink(join(inside, "elsewhere"), join(to, "a"));
  expect((await failure(restore({ overwrite: true }))).code).toBe("FILE_EXISTS");
  expect(await readdir(join(inside, "elsewhere"))).toEqual([]);
});

test("links that may lead out of the folder are left out, unless they are requested", async () => {
  const targets = { a: "/etc/passwd", b: "../x", c: "d/../../x", d: "e", "f/g": "../e", "f/h": "../../x" };
  const links = Object.entries(targets).map(([path, target]) => ({ kind: "link", path, target }));
  const { to, restore } = await forge(links);
  const { skipped } = await restore();
  expect(skipped).toEqual(["a", "b", "c", "f/h"].map((path) => ({ path, reason: "link" })));
  expect(Object.keys(await readTree(to))).toEqual(["d", "f", "f/g"]);
  expect(await restore({ outsideLinks: true })).toMatchObject({ skipped: [] });
});

test("a gateway that sends other bytes restores nothing wrong, and the same call continues", async () => {
  const prepared = await prepareBackup(devnet(), {});
  const { place, reader } = prepared;
  const files = [await storeFile(prepared, "a.txt", "first", KEY), await storeFile(prepared, "b.txt", "second", KEY)];
  const cid = await storeSnapshot(prepared, files, { key: KEY });
  const to = join(place, "to");
  const onProgress = () => {
    devnet().faults.add({ service: "gateway", action: { kind: "respond", text: "other bytes" } });
  };
  expect(await failure(restoreBackup(cid, to, { ...reader, workers: 1, onProgress }))).toMatchObject({
    code: "RESTORE_UNFINISHED",
    details: { failed: [{ path: "b.txt", code: "CID_MISMATCH" }] },
  });
  expect(await readdir(to)).toEqual(["a.txt"]);
  devnet().faults.clear();
  await restoreBackup(cid, to, reader);
  expect(await readFile(join(to, "b.txt"), "utf8")).toBe("second");
});

test("another encrypted file is no snapshot", async () => {
  const { place, options, reader } = await prepareBackup(devnet(), {});
  const { state: _, ...owner } = options;
  const [other] = await uploadTextEncrypted("a letter", owner);
  expect((await failure(restoreBackup(other.Hash, join(place, "to"), reader))).code).toBe("INVALID_SNAPSHOT");
});
