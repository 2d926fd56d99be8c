import fc from "fast-check";
import { expect, test } from "vitest";
import { isKeeplightError } from "../../src/base/errors/base.ts";
import { type CidVersion, formatCid } from "../../src/formats/cid/content-id.ts";
import { hashFile } from "../../src/formats/cid/file.ts";
import { planFolders } from "../../src/formats/cid/folder.ts";
import type { Link } from "../../src/formats/cid/unixfs.ts";
import { wrappedIds } from "../support/kubo-ids.ts";
import { computeImporterCids } from "./importer.ts";

async function computeCids(files: Readonly<Record<string, Uint8Array>>, version: CidVersion, wrap: boolean) {
  const hashed = new Map<string, Link>();
  for (const [path, bytes] of Object.entries(files)) {
    const hasher = hashFile(version);
    await hasher.update(bytes);
    hashed.set(path, await hasher.finish());
  }
  const folders = await planFolders(Object.keys(files), version, wrap)(hashed);
  return Object.fromEntries(
    [...hashed, ...folders].map(([path, { cid, treeBytes }]) => [path, { cid: formatCid(cid), treeBytes }]),
  );
}

function catchError(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return isKeeplightError(error) ? { code: error.code, details: error.details } : error;
  }
  return undefined;
}

test.each(wrappedIds)("a wrapped file has Kubo's CID in version $version", async ({ version, cid }) => {
  const ids = await computeCids({ "hello.txt": Buffer.from("hello world\n") }, version, true);
  expect(ids[""]?.cid).toBe(cid);
});

/** Every path ends in a name that no folder has, so that no path is both a file and a folder. */
const paths = fc
  .uniqueArray(
    fc.tuple(
      fc.array(fc.constantFrom("a", "b", "é", "Z", "ab", "😀", "\uffee"), { maxLength: 3 }),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 5 }).filter((name) => !/[/\\]|^\.+$|^ | $/.test(name)),
    ),
    { selector: ([folders, name]) => [...folders, name].join("/"), minLength: 1, maxLength: 8 },
  )
  .map((list) => list.map(([folders, name]) => [...folders, `${name}.f`].join("/")));

test("any tree of folders has the importer's CIDs", async () => {
  await fc.assert(
    fc.asyncProperty(paths, fc.constantFrom(0 as const, 1 as const), fc.boolean(), async (names, version, wrap) => {
      const files = Object.fromEntries(names.map((name, at) => [name, Uint8Array.of(at)]));
      expect(await computeCids(files, version, wrap)).toEqual(
        await computeImporterCids(files, { cidVersion: version, wrap }),
      );
    }),
    { numRuns: 1_000 },
  );
});

test("a folder that Kubo would split into several blocks is refused before anything is hashed", () => {
  // Names of 28 bytes and CIDs of 36 bytes: 64 bytes for each entry.
  const names = Array.from({ length: 4_096 }, (_, at) => `folder/${String(at).padStart(28, "0")}`);
  expect(catchError(() => planFolders(names.slice(1), 1, true))).toBeUndefined();
  expect(catchError(() => planFolders(names, 1, false))).toEqual({
    code: "UNSUPPORTED",
    details: { name: "folder", entries: 4_096 },
  });
  const above = names.map((name) => `above/${name}`);
  expect(catchError(() => planFolders(above, 1, false))).toMatchObject({ details: { name: "above/folder" } });
  expect(catchError(() => planFolders(above, 1, true))).toMatchObject({ details: { name: "above/folder" } });
});

test("a path that is both a file and a folder is refused", () => {
  expect(catchError(() => planFolders(["a", "a/b"], 1, false))).toMatchObject({ code: "INVALID_SOURCE" });
  expect(catchError(() => planFolders(["a/b", "a"], 1, false))).toMatchObject({ code: "INVALID_SOURCE" });
});
