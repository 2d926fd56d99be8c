import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { link, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { iterateFiles } from "../../../src/index.ts";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { toMs } from "../src/file-facts.ts";
import { backupFolder, listEntries, restoreBackup } from "../src/index.ts";
import { deleteListed, prepareBackup } from "./rig.ts";

// What changes while a folder is backed up. A filter is asked after a file was found, and before it is read.

const devnet = devnetForTests();

const whenAsked = (path: string, work: () => void) => {
  let isDone = false;
  return (asked: string) => {
    if (asked === path && !isDone) {
      isDone = true;
      work();
    }
    return true;
  };
};

async function restoreTo(place: string, cid: string, reader: Parameters<typeof restoreBackup>[2]) {
  await restoreBackup(cid, place, reader);
  return (path: string) => readFileSync(join(place, path), "utf8");
}

test("another name of a file that vanishes, or becomes another one, is still backed up as it was", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), { a: "one", d: "two", g: "three" });
  const at = (name: string) => join(folder, name);
  for (const [file, names] of [
    ["a", "bc"],
    ["d", "ef"],
    ["g", "h"],
  ] as const)
    for (const name of names) linkSync(at(file), at(name));
  const filter = (path: string) => {
    if (path === "a") rmSync(at("a"));
    if (path === "d") {
      writeFileSync(at("other"), "other");
      renameSync(at("other"), at("d"));
    }
    if (path === "g") rmSync(at("h"));
    return true;
  };
  const { cid, skipped } = await backupFolder(folder, { ...options, filter });
  const read = await restoreTo(join(place, "to"), cid, reader);
  expect(["b", "c", "d", "e", "f", "g"].map(read)).toEqual(["one", "one", "other", "two", "two", "three"]);
  expect(skipped).toEqual([]);
});

test("another name of a file that cannot be read is backed up by itself", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), { a: "one" });
  await backupFolder(folder, options);
  await link(join(folder, "a"), join(folder, "b"));
  const filter = whenAsked("a", () => {
    renameSync(join(folder, "a"), join(place, "a"));
    mkdirSync(join(folder, "a"));
  });
  const { cid, skipped } = await backupFolder(folder, { ...options, filter });
  const read = await restoreTo(join(place, "to"), cid, reader);
  expect(["a", "b"].map(read)).toEqual(["one", "one"]);
  expect(skipped).toEqual([{ path: "a", code: "SOURCE_CHANGED" }]);
});

test.each([
  ["docs/", ["a", "b", "c"]],
  ["docs/", []],
  ["docs/a", ["a", "c"]],
])(
  "a link that takes the place of a folder, once %s was found, is not followed: it leads to %j",
  async (asked, names) => {
    const { place, folder, options, reader } = await prepareBackup(devnet(), { "docs/a": "one", "docs/b": "two" });
    const first = await backupFolder(folder, options);
    for (const name of ["a", "b"]) writeFileSync(join(folder, "docs", name), "changed");
    const outside = join(place, "outside");
    mkdirSync(outside);
    for (const name of names) writeFileSync(join(outside, name), "secret");
    const filter = whenAsked(asked, () => {
      renameSync(join(folder, "docs"), join(place, "moved"));
      symlinkSync(outside, join(folder, "docs"));
    });
    const { cid, skipped } = await backupFolder(folder, { ...options, filter });
    expect(cid).toBe(first.cid);
    expect(skipped.map(({ path }) => path)).toEqual(asked === "docs/" ? ["docs"] : ["docs/a", "docs/b"]);
    const read = await restoreTo(join(place, "to"), cid, reader);
    expect(["docs/a", "docs/b"].map(read)).toEqual(["one", "two"]);
  },
);

test("a folder that is deleted while it is read is gone, and nothing is reported", async () => {
  const { folder, options, reader } = await prepareBackup(devnet(), {
    "docs/sub/a": "one",
    "docs/sub/b": "two",
    z: "three",
  });
  await backupFolder(folder, options);
  for (const name of ["a", "b"]) writeFileSync(join(folder, "docs", "sub", name), "changed");
  const filter = whenAsked("docs/sub/a", () => rmSync(join(folder, "docs"), { recursive: true }));
  const { cid, skipped } = await backupFolder(folder, { ...options, filter });
  expect(skipped).toEqual([]);
  const paths: string[] = [];
  for await (const entry of listEntries(cid, reader)) if (entry.kind === "file") paths.push(entry.path);
  expect(paths).toEqual(["z"]);
});

test("a folder that cannot be read keeps what was stored of it, also names of a file elsewhere that is gone", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), {
    "a/f": "one",
    "a/g": "two",
    "z/k": "kept",
  });
  await link(join(folder, "a", "f"), join(folder, "z", "m"));
  await link(join(folder, "a", "f"), join(folder, "z", "n"));
  await link(join(folder, "a", "g"), join(folder, "z", "o"));
  await backupFolder(folder, options);
  await rm(join(folder, "a", "f"));
  await writeFile(join(folder, "a", "f"), "another");
  const unreadable = () =>
    whenAsked("z/", () => {
      renameSync(join(folder, "z"), join(place, "z"));
      writeFileSync(join(folder, "z"), "");
    });
  const second = await backupFolder(folder, { ...options, filter: unreadable() });
  const read = await restoreTo(join(place, "to"), second.cid, reader);
  const all = ["a/f", "a/g", "z/k", "z/m", "z/n", "z/o"];
  expect(all.map(read)).toEqual(["another", "two", "kept", "one", "one", "two"]);
  expect(second.skipped).toEqual([{ path: "z", code: "SOURCE_UNREADABLE" }]);
  // What was stored of it is gone as well.
  await rm(join(folder, "z"));
  renameSync(join(place, "z"), join(folder, "z"));
  await deleteListed(options, ({ fileName }) => fileName?.endsWith(".pack") === true);
  const third = await backupFolder(folder, { ...options, filter: unreadable() });
  expect((await restoreTo(join(place, "third"), third.cid, reader))("a/g")).toBe("two");
  expect(third.skipped.map(({ path }) => path)).toEqual(["z", "z/k", "z/m", "z/n"]);
});

test("a state that is lost meanwhile does not make an empty snapshot", async () => {
  const { folder, options } = await prepareBackup(devnet(), { a: "one" }, { accountNumber: 1 });
  await backupFolder(folder, options);
  const onProgress = () => rmSync(options.state, { recursive: true });
  await expect(backupFolder(folder, { ...options, tags: ["second"], onProgress })).rejects.toThrow();
  const { apiKey, endpoints } = options;
  const names: (string | undefined)[] = [];
  for await (const { fileName } of iterateFiles({ apiKey, endpoints })) names.push(fileName?.split(".").at(-1));
  expect(names.filter((kind) => kind === "snapshot")).toHaveLength(1);
});

test("a time that is further than any number is kept as the furthest one", () => {
  expect([0n, -1_500_000n, 10n ** 22n, -(10n ** 22n)].map(toMs)).toEqual([
    0, -1, 8_640_000_000_000_000, -8_640_000_000_000_000,
  ]);
});
