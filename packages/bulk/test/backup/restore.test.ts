import { lstat, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { upload, uploadTextEncrypted } from "../../../../src/index.ts";
import { devnetForTests } from "../../../../test/support/devnet-wire.ts";
import { failure } from "../../../../test/support/failure.ts";
import { backupFolder, restoreBackup } from "../../src/backup/index.ts";
import { prepareBackup, readTree } from "./rig.ts";

const devnet = devnetForTests();

afterEach(() => {
  devnet().faults.clear();
  devnet().attacks.clear();
});

const letters = { "a.txt": "first", "b/c.txt": "second" };

/** Of the bytes "first". */
const SHA256 = "a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e";

/** Stores a snapshot that somebody has written by hand; returns what restores it. */
async function forge(entries: readonly object[], header: object = {}) {
  const { place, options, reader } = await prepareBackup(devnet(), letters);
  const [{ Hash: cid }] = await upload(new TextEncoder().encode("first"), {
    apiKey: options.apiKey,
    endpoints: options.endpoints,
    name: "first",
  });
  const files = entries.map((entry) => ({
    kind: "file",
    mode: 0o600,
    mtime: 0,
    size: 5,
    sha256: SHA256,
    cid,
    ...entry,
  }));
  const counted = files.filter(({ kind }) => kind === "file");
  const bytes = counted.reduce((sum, { size }) => sum + size, 0);
  const first = { type: "keeplight snapshot", version: 1, set: "0123456789abcdef", name: "forged", createdAt: 1 };
  const lines = [{ ...first, files: counted.length, bytes, ...header }, ...files];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const { state: _, ...owner } = options;
  const [stored] = await uploadTextEncrypted(text, owner);
  const to = join(place, "inside", "to");
  return {
    to,
    inside: join(place, "inside"),
    restore: (more = {}) => restoreBackup(stored.Hash, to, { ...reader, ...more }),
  };
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
  ["no file", [null as unknown as object]],
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
  expect(await readTree(to)).toMatchObject({ a: "link /etc/passwd", "f/h": "link ../../x" });
});

test("a file that differs is kept, unless it may be overwritten", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), letters);
  const { cid } = await backupFolder(folder, options);
  await writeFile(join(folder, "a.txt"), "mine");
  expect(await failure(restoreBackup(cid, folder, reader))).toMatchObject({
    code: "FILE_EXISTS",
    details: { path: join(folder, "a.txt") },
  });
  expect(await readFile(join(folder, "a.txt"), "utf8")).toBe("mine");
  expect(await restoreBackup(cid, folder, { ...reader, overwrite: true })).toMatchObject({ restored: 1, files: 2 });
  expect(await readFile(join(folder, "a.txt"), "utf8")).toBe("first");
  const to = join(place, "to");
  await mkdir(join(to, "a.txt"), { recursive: true });
  expect((await failure(restoreBackup(cid, to, { ...reader, overwrite: true }))).code).toBe("FILE_EXISTS");
});

test("a gateway that sends other bytes restores nothing wrong, and the same call continues", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), letters);
  const { cid } = await backupFolder(folder, options);
  const to = join(place, "to");
  const onProgress = () => {
    devnet().faults.add({ service: "gateway", action: { kind: "respond", text: "other bytes" } });
  };
  expect(await failure(restoreBackup(cid, to, { ...reader, workers: 1, onProgress }))).toMatchObject({
    code: "RESTORE_UNFINISHED",
    details: { failed: [{ path: "b/c.txt", code: "CID_MISMATCH" }] },
  });
  expect(await readdir(to)).toEqual(["a.txt", "b"]);
  expect(await readdir(join(to, "b"))).toEqual([]);
  devnet().faults.clear();
  await restoreBackup(cid, to, reader);
  expect(await readTree(to)).toEqual(await readTree(folder));
});

test("what is no snapshot, and options that cannot be meant, are refused", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), letters);
  const { state: _, ...owner } = options;
  const [other] = await uploadTextEncrypted("a letter", owner);
  const to = join(place, "to");
  expect((await failure(restoreBackup(other.Hash, to, reader))).code).toBe("INVALID_SNAPSHOT");
  expect((await failure(restoreBackup("other", to, reader))).code).toBe("INVALID_CID");
  expect((await failure(restoreBackup(other.Hash, "", reader))).code).toBe("INVALID_OPTION");
  expect((await failure(restoreBackup(other.Hash, to, { ...reader, workers: 0 }))).code).toBe("INVALID_OPTION");
  expect((await failure(backupFolder(folder, { ...options, state: "" }))).code).toBe("INVALID_OPTION");
  expect((await failure(backupFolder(join(folder, "a.txt"), options))).code).toBe("INVALID_OPTION");
  expect((await failure(backupFolder(join(folder, "nothing"), options))).code).toBe("SOURCE_UNREADABLE");
});
