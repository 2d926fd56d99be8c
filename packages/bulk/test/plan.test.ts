import { appendFile, mkdir, readFile, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { failure } from "../../../test/support/failure.ts";
import { scratch, writeTree } from "../../../test/support/files.ts";
import {
  type BulkFile,
  type BulkSource,
  folderSource,
  getBulkStatus,
  manifestSource,
  openBulkLedger,
  planBulk,
  readBulkPlan,
} from "../src/index.ts";

async function readManifest(folder: string): Promise<BulkFile[]> {
  const text = await readFile(join(folder, "manifest.jsonl"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** A listing of files that exist nowhere, which ends early after `limit` files. */
function listing(files: readonly BulkFile[], limit = files.length): BulkSource & { listed: number } {
  const source = {
    place: "listing",
    listed: 0,
    async *list(after?: string) {
      const from = after === undefined ? 0 : files.findIndex(({ path }) => path === after) + 1;
      for (const file of files.slice(from)) {
        if (source.listed++ === limit) throw new Error("the process ends");
        yield file;
      }
    },
    async *open() {},
  };
  return source;
}

const numbered = (count: number, size = 1) =>
  Array.from({ length: count }, (_, at) => ({ path: `f${String(at).padStart(6, "0")}`, size }));

test("a folder is listed in order, with sizes and times, and its cost is estimated", async () => {
  const root = await scratch();
  const data = join(root, "data");
  await writeTree(data, { "b.txt": "bb", "a/z.txt": "", "a/b/c.txt": "c", "é.txt": "é" });
  const folder = join(root, "plan");
  const { plan, cost } = await planBulk(data, { folder, encrypted: true });
  expect(plan).toMatchObject({ name: "data", folder, place: data, encrypted: true, files: 4, bytes: 5, batches: 1 });
  const listed = await readManifest(folder);
  expect(listed.map(({ path, size }) => [path, size])).toEqual([
    ["a/b/c.txt", 1],
    ["a/z.txt", 0],
    ["b.txt", 2],
    ["é.txt", 2],
  ]);
  expect(listed.every(({ mtime = 0 }) => Math.abs(mtime - Date.now()) < 3_600_000)).toBe(true);
  expect(cost).toMatchObject({ files: 4, bytes: 5, uploads: 1, keyNodeRequests: 20 });
  expect(cost.derivationMs).toBeGreaterThan(0);
  expect(cost.price).toMatchObject({ token: "usdc", usd: "0.00390625", amount: 3906n });
  expect(await readBulkPlan(folder)).toEqual(plan);
});

test("a plan is made once, and refuses another source, name or encryption", async () => {
  const root = await scratch();
  const [data, folder] = [join(root, "data"), join(root, "plan")];
  await writeTree(data, { "a.txt": "a" });
  const { plan } = await planBulk(data, { folder });
  await writeFile(join(data, "later.txt"), "later");
  expect((await planBulk(data, { folder })).plan).toEqual(plan);
  for (const [source, options] of [
    [root, {}],
    [data, { encrypted: true }],
    [data, { name: "other" }],
  ] as const) {
    expect((await failure(planBulk(source, { folder, ...options }))).code).toBe("INVALID_OPTION");
  }
});

test("a plan continues behind the last file that was written, whatever the file ends with", async () => {
  const root = await scratch();
  const files = numbered(30_000);
  const whole = join(root, "whole");
  await planBulk(listing(files), { folder: whole });
  const expected = await readFile(join(whole, "manifest.jsonl"), "utf8");
  for (const [at, end] of ["", '{"path":"f0', "\0\0\0\0\n", "{}\n\0"].entries()) {
    const folder = join(root, String(at));
    await expect(planBulk(listing(files, 29_000), { folder })).rejects.toThrow("the process ends");
    expect((await failure(readBulkPlan(folder))).code).toBe("INVALID_OPTION");
    await appendFile(join(folder, "manifest.jsonl"), end);
    const again = listing(files);
    const { plan } = await planBulk(again, { folder });
    expect(again.listed).toBeLessThan(29_000);
    expect(plan).toMatchObject({ files: 30_000, bytes: 30_000, batches: 30 });
    expect((await readFile(join(folder, "manifest.jsonl"), "utf8")) === expected).toBe(true);
  }
});

test("the walk of a folder continues behind any of its files", async () => {
  const data = await scratch();
  await writeTree(data, { "a/1": "", "a/b/2": "", "a/b/3": "", "a.txt": "", "a-": "", "b/4": "", c: "" });
  const all: string[] = [];
  for await (const { path } of folderSource(data).list()) all.push(path);
  expect([...all].sort()).toEqual(["a-", "a.txt", "a/1", "a/b/2", "a/b/3", "b/4", "c"]);
  for (const [at, after] of all.entries()) {
    const rest: string[] = [];
    for await (const { path } of folderSource(data).list(after)) rest.push(path);
    expect(rest).toEqual(all.slice(at + 1));
  }
});

test("batches have at most 1,000 files, 256 MiB, and 240 KiB of paths", async () => {
  const root = await scratch();
  const batches = async (files: BulkFile[], encrypted = false) => {
    const folder = join(root, `${files.length} ${files[0]?.size} ${files[0]?.path.length} ${encrypted}`);
    return (await planBulk(listing(files), { folder, encrypted })).plan.batches;
  };
  expect(await batches(numbered(2_001))).toBe(3);
  expect(await batches(numbered(5, 128 * 1024 ** 2))).toBe(3);
  expect(await batches(numbered(2, 1024 ** 3))).toBe(2);
  expect(await batches(numbered(1_000).map((file) => ({ ...file, path: file.path.padEnd(300, "x") })))).toBe(2);
  // Sent under one name, one of them would replace the other.
  expect(
    await batches(
      [
        { path: "a/b", size: 1 },
        { path: "a-b", size: 1 },
      ],
      true,
    ),
  ).toBe(2);
  expect(
    await batches([
      { path: "a b", size: 1 },
      { path: "a+b", size: 1 },
    ]),
  ).toBe(2);
});

test("what cannot be listed is refused", async () => {
  const root = await scratch();
  const empty = join(root, "empty");
  await mkdir(empty);
  const options = () => ({ folder: join(root, `plan ${Math.random()}`) });
  expect((await failure(planBulk(empty, options()))).code).toBe("INVALID_SOURCE");
  expect((await failure(planBulk(join(root, "missing"), options()))).code).toBe("SOURCE_UNREADABLE");
  await writeTree(root, { "loop/a.txt": "" });
  await symlink("..", join(root, "loop", "back"));
  expect((await failure(planBulk(join(root, "loop"), options()))).code).toBe("INVALID_SOURCE");
  for (const file of [
    { path: "../a", size: 1 },
    { path: "a//b", size: 1 },
    { path: "a", size: -1 },
  ]) {
    expect((await failure(planBulk(listing([file]), options()))).code).toBe("INVALID_SOURCE");
  }
  const { list } = listing([]);
  for (const source of [null, "", {}, { place: "s3", list }, { place: "", list, root }, { place: "s3", root }]) {
    expect((await failure(planBulk(source as BulkSource, options()))).code).toBe("INVALID_SOURCE");
  }
  expect((await failure(planBulk(empty, { folder: "" }))).code).toBe("INVALID_OPTION");
});

test("a plan is made by one call at a time", async () => {
  const root = await scratch();
  const folder = join(root, "plan");
  const files = numbered(3_000);
  const outcomes = await Promise.allSettled([1, 2].map(() => planBulk(listing(files), { folder })));
  const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason.code] : []));
  expect([[], ["INVALID_OPTION"]]).toContainEqual(refused);
  expect((await planBulk(listing(files), { folder })).plan).toMatchObject({ files: 3_000 });
});

test("a plan with files from before 1970 is made, one that lists a file twice in a row is not", async () => {
  const root = await scratch();
  const old = { path: "old", size: 1, mtime: -1_000 };
  const { plan } = await planBulk(listing([old]), { folder: join(root, "old") });
  expect(await readManifest(plan.folder)).toEqual([old]);
  const twice = failure(planBulk(listing([old, old]), { folder: join(root, "twice") }));
  expect((await twice).code).toBe("INVALID_SOURCE");
});

test("a manifest that has lost the line where a plan continues is refused", async () => {
  const root = await scratch();
  const path = join(root, "files.jsonl");
  await writeFile(path, '{"path":"b","size":1}\n{"path":"a","size":2}');
  const after = async (last: string) => {
    const listed: BulkFile[] = [];
    for await (const file of manifestSource(path, root).list(last)) listed.push(file);
    return listed;
  };
  expect(await after("b")).toEqual([{ path: "a", size: 2 }]);
  expect((await failure(after("c"))).code).toBe("INVALID_SOURCE");
});

test("a manifest is a source, too", async () => {
  const root = await scratch();
  const path = join(root, "files.jsonl");
  const sha256 = "0".repeat(64);
  await writeFile(path, `{"path":"b","size":1,"sha256":"${sha256}"}\n{"path":"a","size":2}`);
  const { plan } = await planBulk(manifestSource(path, root), { folder: join(root, "plan") });
  expect(plan).toMatchObject({ files: 2, bytes: 3 });
  expect(await readManifest(plan.folder)).toEqual([
    { path: "b", size: 1, sha256 },
    { path: "a", size: 2 },
  ]);
  await truncate(path, 5);
  expect((await failure(planBulk(manifestSource(path, root), { folder: join(root, "2") }))).code).toBe(
    "INVALID_SOURCE",
  );
  expect(() => manifestSource(path, "")).toThrow("Invalid source: expected the paths");
  expect(() => manifestSource("", root)).toThrow("Invalid source: expected the paths");
});

test("a path that is listed twice is refused, wherever it is", async () => {
  const root = await scratch();
  const paths = [...Array.from({ length: 9_000 }, (_, at) => `file ${at}`), "file 17"];
  const source = {
    place: "s3://twice",
    async *list() {
      for (const path of paths) yield { path, size: 1 };
    },
    open: () => new Blob(["x"]).stream(),
  };
  const error = await failure(planBulk(source, { folder: join(root, "plan") }));
  expect(error).toMatchObject({ code: "INVALID_SOURCE", details: { name: "file 17" } });
  paths.pop();
  expect((await planBulk(source, { folder: join(root, "other") })).plan.files).toBe(9_000);
});

test("what cannot be read is left out if a listener receives it, and ends the plan otherwise", async () => {
  const root = await scratch();
  const data = await writeTree(join(root, "data"), { a: "1", "b/c": "2", d: "3" });
  await symlink(join(root, "nothing"), join(data, "b", "dangling"));
  await symlink("..", join(data, "b", "loop"));
  expect((await failure(planBulk(data, { folder: join(root, "strict") }))).code).toBe("SOURCE_UNREADABLE");
  const skipped: object[] = [];
  const { plan } = await planBulk(data, { folder: join(root, "plan"), onSkipped: (each) => skipped.push(each) });
  expect(plan.files).toBe(3);
  expect(skipped).toEqual([
    { path: "b/dangling", code: "SOURCE_UNREADABLE" },
    { path: "b/loop", code: "INVALID_SOURCE" },
  ]);
  const nowhere = planBulk(join(root, "nothing"), { folder: join(root, "none"), onSkipped: () => undefined });
  expect((await failure(nowhere)).code).toBe("SOURCE_UNREADABLE");
});

/** Lists files and what cannot be read (`null` in place of a size), and ends early after `limit` of them. */
function listingWithSkipped(
  entries: readonly (readonly [string, number | null])[],
  limit = entries.length,
): BulkSource {
  return {
    place: "odd listing",
    async *list(after, onSkipped) {
      const from = after === undefined ? 0 : entries.findIndex(([path]) => path === after) + 1;
      for (const [at, [path, size]] of entries.entries()) {
        if (at < from) continue;
        if (at === limit) throw new Error("the process ends");
        if (size === null) onSkipped?.({ path, code: "SOURCE_UNREADABLE" });
        else yield { path, size };
      }
    },
    async *open() {},
  };
}

async function planOdd(source: BulkSource, folder: string) {
  const reported: string[] = [];
  const { plan } = await planBulk(source, { folder, onSkipped: ({ path }) => void reported.push(path) });
  return { plan, reported };
}

test("a plan keeps what it leaves out, wherever it was continued, and the same call reports it again", async () => {
  const root = await scratch();
  const entries = Array.from({ length: 6_000 }, (_, at) => [`f${at}`, at % 100 === 7 ? null : 1] as const);
  const odd = entries.filter(([, size]) => size === null).map(([path]) => path);
  const summary = { count: 60, first: odd.slice(0, 20).map((path) => ({ path, code: "SOURCE_UNREADABLE" })) };
  for (const [at, damage] of ["", '{"path":"f0', "\0\0\n", "{}\n"].entries()) {
    const folder = join(root, String(at));
    for (const limit of [1_500, 1_508, 4_100]) {
      await expect(planOdd(listingWithSkipped(entries, limit), folder)).rejects.toThrow("the process ends");
      await appendFile(join(folder, "skipped.jsonl"), damage);
    }
    const { plan, reported } = await planOdd(listingWithSkipped(entries), folder);
    expect(reported.join()).toBe(odd.join());
    expect(plan).toMatchObject({ files: 5_940, skipped: summary });
    expect((await readBulkPlan(folder)).skipped).toEqual(summary);
    expect((await planOdd(listingWithSkipped(entries), folder)).reported.join()).toBe(odd.join());
  }
});

test("a status says how many files a plan leaves out, whatever they are called", async () => {
  const root = await scratch();
  const names = ["a\u2028b", "\0", "\ud800", "x\r\ny", '"\\'];
  const entries = [...names.map((name) => [name, null] as const), ["b", 1] as const];
  const { plan, reported } = await planOdd(listingWithSkipped(entries), join(root, "plan"));
  expect(reported).toEqual(names);
  const kept = ["a\u2028b", "\ufffd", "\ufffd", "x\r\ny", '"\\'];
  expect(plan.skipped?.first.map(({ path }) => path)).toEqual(kept);
  expect((await planOdd(listingWithSkipped(entries), plan.folder)).reported).toEqual(kept);
  const ledger = await openBulkLedger(join(root, "ledger"));
  expect(await getBulkStatus(plan, ledger)).toMatchObject({ files: 1, skipped: 5 });
  await ledger.close();
  const { plan: whole } = await planOdd(listing(numbered(1)), join(root, "whole"));
  expect(whole).not.toHaveProperty("skipped");
});
