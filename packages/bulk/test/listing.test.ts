import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { failure } from "../../../test/support/failure.ts";
import { scratch, writeTree } from "../../../test/support/files.ts";
import { type BulkSource, manifestSource, planBulk } from "../src/index.ts";

async function readPaths(folder: string): Promise<string[]> {
  const text = await readFile(join(folder, "manifest.jsonl"), "utf8");
  return Array.from(text.matchAll(/"path":"(.*?)"/g), ([, path = ""]) => path);
}

/** Lists paths behind the one that is known, as a store does. */
function listing(paths: readonly string[], list?: BulkSource["list"]): BulkSource {
  return {
    place: "s3://bucket",
    list:
      list ??
      async function* (after) {
        const from = after === undefined ? 0 : paths.indexOf(after) + 1;
        for (const path of paths.slice(from)) yield { path, size: 1 };
      },
    async *open() {},
  };
}

test("a plan whose source lists a path twice is made once the source does not, whichever of the two is gone", async () => {
  const root = await scratch();
  const many = Array.from({ length: 5_000 }, (_, at) => `f${at}`);
  for (const [at, mended] of [many, [...many.slice(0, 17), ...many.slice(18), "f17"]].entries()) {
    const folder = join(root, String(at));
    const twice = await failure(planBulk(listing([...many, "f17", "z"]), { folder }));
    expect(twice).toMatchObject({ code: "INVALID_SOURCE", details: { name: "f17" } });
    const { plan } = await planBulk(listing(mended), { folder });
    expect(plan.files).toBe(5_000);
    expect((await readPaths(folder)).join()).toBe(mended.join());
  }
});

test("a path that an earlier call has found is not listed again, and a manifest that has one twice is made again", async () => {
  const root = await scratch();
  const folder = join(root, "plan");
  const cut = listing([], async function* () {
    for (let at = 0; at < 5_000; at++) yield { path: `f${at}`, size: 1 };
    throw new Error("the process ends");
  });
  await expect(planBulk(cut, { folder })).rejects.toThrow("the process ends");
  const kept = await readPaths(folder);
  const again = await failure(planBulk(listing(["f3"]), { folder }));
  expect(again).toMatchObject({ code: "INVALID_SOURCE", details: { name: "f3" } });
  expect(await readPaths(folder)).toEqual([]);
  // An earlier version has kept both.
  await writeFile(
    join(folder, "manifest.jsonl"),
    [...kept, "f3"].map((path) => `{"path":"${path}","size":1}\n`).join(""),
  );
  expect((await planBulk(listing(["a", "b"]), { folder })).plan.files).toBe(2);
});

test("an abort ends a plan while its source waits, and the source is closed", async () => {
  const stop = new AbortController();
  let received: AbortSignal | undefined;
  const waiting = listing([], async function* (_after, _onSkipped, signal) {
    received = signal;
    yield { path: "a", size: 1 };
    setImmediate(() => stop.abort());
    await new Promise(() => undefined);
  });
  const options = { folder: join(await scratch(), "plan"), signal: stop.signal };
  expect((await failure(planBulk(waiting, options))).code).toBe("ABORTED");
  expect(received?.aborted).toBe(true);
  expect((await planBulk(listing(["a", "b"]), { folder: options.folder })).plan.files).toBe(2);

  const folder = join(await scratch(), "plan");
  const next = new AbortController();
  let isClosed = false;
  const endless = listing([], async function* () {
    try {
      for (let at = 0; ; at++) {
        if (at === 3_000) next.abort();
        yield { path: `f${at}`, size: 1 };
      }
    } finally {
      isClosed = true;
    }
  });
  expect((await failure(planBulk(endless, { folder, signal: next.signal }))).code).toBe("ABORTED");
  await expect.poll(() => isClosed).toBe(true);
});

test.skipIf(process.platform !== "linux")("two names of other bytes that are one string are left out", async () => {
  const root = await scratch();
  const data = await writeTree(join(root, "data"), { "bad\uFFFD": "real", z: "last" });
  await writeFile(Buffer.from(join(data, "bad\xff"), "latin1"), "another");
  await mkdir(Buffer.from(join(data, "\xfe"), "latin1"));
  expect((await failure(planBulk(data, { folder: join(root, "strict") }))).code).toBe("SOURCE_UNREADABLE");
  const skipped: object[] = [];
  const { plan } = await planBulk(data, { folder: join(root, "plan"), onSkipped: (each) => void skipped.push(each) });
  expect(skipped).toEqual(["bad\uFFFD", "\uFFFD"].map((path) => ({ path, code: "SOURCE_UNREADABLE" })));
  expect(await readPaths(plan.folder)).toEqual(["z"]);
});

test("a manifest may have a byte order mark, empty lines and hashes in upper case; its errors name the line", async () => {
  const root = await scratch();
  const path = join(root, "files.jsonl");
  const sha256 = "AB".repeat(32);
  await writeFile(path, `\uFEFF{"path":"a","size":1,"sha256":"${sha256}"}\r\n\r\n\n{"path":"b","size":2}\n\n`);
  const { plan } = await planBulk(manifestSource(path, root), { folder: join(root, "plan") });
  expect(plan).toMatchObject({ files: 2, bytes: 3 });
  expect(await readFile(join(plan.folder, "manifest.jsonl"), "utf8")).toContain(`"sha256":"${sha256.toLowerCase()}"`);
  for (const [bad, message] of [
    ["{", "Invalid source: line 6 of the manifest is not JSON"],
    ['{"path":"c","size":-1}', "Invalid source: the size of c is no whole number of bytes (line 6 of the manifest)"],
    [`"${"x".repeat(200_000)}"`, "Invalid source: line 6 of the manifest is too long"],
  ] as const) {
    await writeFile(path, `{"path":"a","size":1}\n\n\n{"path":"b","size":2}\n\n`);
    await appendFile(path, `${bad}\n`);
    const error = await failure(planBulk(manifestSource(path, root), { folder: join(root, `plan ${bad.length}`) }));
    expect(error.message).toBe(message);
  }
});
