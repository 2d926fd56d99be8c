import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { KeeplightError } from "../../../src/index.ts";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import { readObject } from "../../../test/support/s3-objects.ts";
import { type S3Fault, startS3Server } from "../../../test/support/s3-server.ts";
import { openSource } from "../../s3/test/client.ts";
import { type BackupStore, backupFolder, listSnapshots, previewBackup, restoreBackup } from "../src/index.ts";
import { prepareBackup, readTree } from "./rig.ts";

const devnet = devnetForTests();

/** Starts a server with one bucket, and prepares the options of an account. */
async function prepareBucket(keys: readonly string[], pageSize = 1_000) {
  const server = await startS3Server({ keys, pageSize });
  onTestFinished(() => server.close());
  const source = openSource(server);
  const countReads = () => server.requests.filter(({ operation }) => operation === "GetObject").length;
  const prepared = await prepareBackup(devnet(), {});
  const { state: _, ...account } = prepared.options;
  return { server, source, countReads, account, ...prepared };
}

type Prepared = Awaited<ReturnType<typeof prepareBucket>>;

/** Restores a snapshot, and expects exactly these objects in it. */
async function expectRestored({ server, place, reader }: Prepared, cid: string, keys: readonly string[]) {
  const to = join(place, `restored ${cid}`);
  expect(await restoreBackup(cid, to, reader)).toMatchObject({ files: keys.length, skipped: [] });
  const files = Object.entries(await readTree(to)).filter(([, facts]) => facts.startsWith("file"));
  expect(files.map(([path]) => path).sort()).toEqual([...keys].sort());
  for (const key of keys) {
    const object = server.objects.find(key);
    expect(object && readObject(object).equals(await readFile(join(to, key)))).toBe(true);
    const { mode, mtimeMs } = await lstat(join(to, key));
    expect([mode & 0o7777, Math.round(mtimeMs)]).toEqual([0o600, object?.mtime]);
  }
}

/** In S3 these are in another order than in a folder. */
const keys = [
  "a b/c",
  "a-b",
  "a.txt",
  "a/b/large-5000000b.bin",
  "a/c",
  "empty-0b.txt",
  "z/é+%41 ü",
  "z/\u{1F600}",
  "z/\uFFFD",
];

test("a bucket is restored as files, and only what has changed is read again", async () => {
  const bucket = await prepareBucket([...keys, "a/"], 2);
  const { server, source, options, account, countReads } = bucket;
  const first = await backupFolder(source, { ...options, tags: ["bucket"] });
  expect(first).toMatchObject({ files: keys.length, skipped: [], root: source.place, host: "" });
  expect(countReads()).toBe(keys.length);
  await expectRestored(bucket, first.cid, keys);

  const again = await backupFolder(source, { ...options, tags: ["bucket"] });
  expect(again).toMatchObject({ cid: first.cid, isUnchanged: true, sentBytes: 0 });
  expect(countReads()).toBe(keys.length);

  server.objects.write("a-b");
  server.objects.write("a/new");
  server.objects.remove("a/c");
  expect(await previewBackup(source, { state: options.state })).toEqual({
    files: keys.length,
    bytes: first.bytes,
    filesToRead: 2,
    bytesToRead: 40,
  });
  const second = await backupFolder(source, options);
  expect(second.skipped).toEqual([]);
  expect(countReads()).toBe(keys.length + 2);
  await expectRestored(bucket, second.cid, [...keys.filter((key) => key !== "a/c"), "a/new"]);
  const { snapshots } = await listSnapshots(account);
  expect(new Set(snapshots.map(({ root, host }) => `${root} ${host}`))).toEqual(new Set(["s3://datasets/ "]));
});

test("what a folder cannot have is left out and reported", async () => {
  const bucket = await prepareBucket(["a", "a-b", "a/b", "a/c/d", "a/c", "x//y", "../up"]);
  const { cid, skipped } = await backupFolder(bucket.source, bucket.options);
  expect(skipped).toEqual([
    { path: "../up", code: "INVALID_SOURCE" },
    { path: "x//y", code: "INVALID_SOURCE" },
    { path: "a", code: "DUPLICATE_NAME" },
    { path: "a/c", code: "DUPLICATE_NAME" },
  ]);
  await expectRestored(bucket, cid, ["a-b", "a/b", "a/c/d"]);
  // What was a file is a folder now.
  bucket.server.objects.write("a-b/c");
  const second = await backupFolder(bucket.source, bucket.options);
  await expectRestored(bucket, second.cid, ["a-b/c", "a/b", "a/c/d"]);
});

test("a filter is asked for each folder once, and not for what is in one that is left out", async () => {
  const bucket = await prepareBucket(["a/b/1", "a/b/2", "a-b/1", "c/d/1", "c/d/2", "c/e", "c/f/1", "g"]);
  const asked: string[] = [];
  const filter = (path: string) => {
    asked.push(path);
    return path !== "c/d/" && path !== "a/b/1";
  };
  const { cid } = await backupFolder(bucket.source, { ...bucket.options, filter });
  expect(asked).toEqual([
    ...["a/", "a/b/", "a/b/1", "a/b/2", "a-b/", "a-b/1"],
    ...["c/", "c/d/", "c/e", "c/f/", "c/f/1", "g"],
  ]);
  await expectRestored(bucket, cid, ["a-b/1", "a/b/2", "c/e", "c/f/1", "g"]);
});

test.each<[string, S3Fault]>([
  ["breaks connections", { is: "reset" }],
  ["asks to slow down", { is: "refuse", status: 503, code: "SlowDown" }],
])("a bucket that %s is waited for, while it is listed and while it is read", async (_, fault) => {
  const bucket = await prepareBucket([...keys, "x//y"], 3);
  const { server, source, options } = bucket;
  const large = "a/b/large-5000000b.bin";
  let left = { list: 7, read: 40 };
  server.setFaults(({ operation, query, headers }) => {
    const isList = operation === "ListObjectsV2" && query.has("continuation-token");
    if (isList && left.list > 0) left = { ...left, list: left.list - 1 };
    else if (operation === "GetObject" && left.read > 0) left = { ...left, read: left.read - 1 };
    else return headers.range === undefined && operation === "GetObject" ? { is: "cut", atByte: 2_000_000 } : undefined;
    return fault;
  });
  const errors: unknown[] = [];
  const { cid, skipped } = await backupFolder(source, { ...options, onError: (error) => void errors.push(error) });
  expect(skipped).toEqual([{ path: "x//y", code: "INVALID_SOURCE" }]);
  expect(left).toEqual({ list: 0, read: 0 });
  const methods = errors.map((error) => (error as { details: { method: string } }).details.method);
  expect(new Set(methods)).toEqual(new Set(["ListObjectsV2", "GetObject"]));
  expect(server.requests.some(({ key, headers }) => key === large && headers.range !== undefined)).toBe(true);
  await expectRestored(bucket, cid, keys);
});

test("a bucket that refuses everything ends a backup, and one object that it refuses does not", async () => {
  const bucket = await prepareBucket(["a", "b", "c"]);
  const { server, source, options, account } = bucket;
  const before = await listSnapshots(account);
  const refuse = (code: string): S3Fault => ({ is: "refuse", status: 403, code });
  for (const operation of ["ListObjectsV2", "GetObject"]) {
    server.setFaults((request) => (request.operation === operation ? refuse("AccessDenied") : undefined));
    expect(await failure(backupFolder(source, options))).toMatchObject({
      code: "SOURCE_UNREADABLE",
      details: { name: source.place, code: "AccessDenied" },
    });
  }
  expect(await listSnapshots(account)).toEqual(before);
  server.setFaults();
  await backupFolder(source, options);
  for (const key of ["a", "b", "c"]) server.objects.write(key);
  server.setFaults(({ key }) => (key === "b" ? refuse("InvalidObjectState") : undefined));
  const { cid, skipped } = await backupFolder(source, options);
  expect(skipped).toEqual([{ path: "b", code: "SOURCE_UNREADABLE" }]);
  const to = join(bucket.place, "to");
  expect(await restoreBackup(cid, to, bucket.reader)).toMatchObject({ files: 3 });
  const last = { key: "b", size: 20, mtime: 0, version: 0 };
  expect(readObject(last).equals(await readFile(join(to, "b")))).toBe(true);
});

test("an object that vanishes or changes while a bucket is read is not in the snapshot as it was", async () => {
  const bucket = await prepareBucket(["a", "b", "c"]);
  const { server, source, options } = bucket;
  server.setFaults(({ operation, key }) => {
    if (operation !== "GetObject") return undefined;
    if (key === "a") server.objects.write("a");
    if (key === "b") server.objects.remove("b");
    return undefined;
  });
  const { cid, skipped } = await backupFolder(source, options);
  expect(skipped).toEqual([{ path: "a", code: "SOURCE_CHANGED" }]);
  await expectRestored(bucket, cid, ["c"]);
});

/** A store of strings that knows no ETags. */
function createStore(files: Record<string, { text: string; size?: number; mtime?: number }>) {
  const opened: string[] = [];
  const store: BackupStore = {
    place: "store:test",
    async *list() {
      for (const [path, { text, size = text.length, mtime }] of Object.entries(files)) {
        yield { path, size, ...(mtime === undefined ? {} : { mtime }) };
      }
    },
    open({ path }) {
      opened.push(path);
      return new Blob([files[path]?.text ?? ""]).stream();
    },
  };
  return { store, opened };
}

test("without ETags, a file is read again unless its time says for certain that it has not changed", async () => {
  const { options } = await prepareBackup(devnet(), {});
  const old = 1_000_000_000_000;
  const { store, opened } = createStore({
    old: { text: "one", mtime: old },
    recent: { text: "two", mtime: Date.now() - 60_000 },
    timeless: { text: "three" },
  });
  expect(await backupFolder(store, options)).toMatchObject({ files: 3, skipped: [] });
  expect(await backupFolder(store, options)).toMatchObject({ files: 3, isUnchanged: true });
  expect(opened.sort()).toEqual(["old", "recent", "recent", "timeless", "timeless"]);
});

test("a file of a store with more or fewer bytes than it was listed with is left out", async () => {
  const { options } = await prepareBackup(devnet(), {});
  const { store } = createStore({
    fits: { text: "one" },
    long: { text: "two", size: 2 },
    short: { text: "three", size: 6 },
  });
  const { files, skipped } = await backupFolder(store, options);
  expect(files).toBe(1);
  expect(skipped).toEqual(["long", "short"].map((path) => ({ path, code: "SOURCE_CHANGED" })));
});

test("a file of a store that breaks off is continued where it was", async () => {
  const { place, options, reader } = await prepareBackup(devnet(), {});
  const text = Array.from({ length: 200_000 }, (_, at) => `line ${at}\n`).join("");
  const { store } = createStore({ long: { text } });
  let breaks = 2;
  const broken: BackupStore = {
    ...store,
    async *open() {
      for (let at = 0; at < text.length; at += 10_000) {
        if (at > 1_000_000 && breaks-- > 0)
          throw new KeeplightError("NETWORK", "It broke off", { details: { url: store.place, method: "open" } });
        yield Buffer.from(text.slice(at, at + 10_000));
      }
    },
  };
  const errors: unknown[] = [];
  const { cid, skipped } = await backupFolder(broken, { ...options, onError: (error) => void errors.push(error) });
  expect(skipped).toEqual([]);
  expect(errors).toMatchObject([{ code: "NETWORK" }, { code: "NETWORK" }]);
  await restoreBackup(cid, join(place, "to"), reader);
  expect(await readFile(join(place, "to", "long"), "utf8")).toBe(text);
});

test("what is no store, or lists what is no file, is refused", async () => {
  const { options } = await prepareBackup(devnet(), {});
  const { store } = createStore({});
  for (const source of [undefined, 5, {}, { ...store, place: "" }, { ...store, open: 1 }]) {
    expect((await failure(backupFolder(source as never, options))).code).toBe("INVALID_SOURCE");
  }
  const malformed = [{ path: "../a", size: 1 }, { path: "a", size: -1 }, { path: "a", size: 1, mtime: 0.5 }, undefined];
  for (const file of [...malformed, { path: "a", size: 1, etag: 5 }]) {
    const list = async function* () {
      yield file as never;
    };
    expect((await failure(backupFolder({ ...store, list }, options))).code).toBe("INVALID_SOURCE");
  }
  const twice = async function* () {
    for (const path of ["a", "b", "a"]) yield { path, size: 1 };
  };
  expect((await failure(backupFolder({ ...store, list: twice }, options))).code).toBe("INVALID_SOURCE");
});
