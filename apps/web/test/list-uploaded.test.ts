import type { UploadedFiles } from "keeplight";
import { expect, test } from "vitest";
import { listUploaded } from "../src/thumbnails/list-uploaded.ts";

const toFiles = (...files: readonly [name: string, cid: string][]) =>
  files.map(([Name, Hash]) => ({ Name, Hash, Size: "1" })) as unknown as UploadedFiles;
const inFolder = (path: string) => Object.defineProperty(new File(["x"], "x"), "webkitRelativePath", { value: path });

test("a file that was uploaded has its content id, and one that is not complete has none", () => {
  const source = new File(["x"], "sea.png");
  expect(listUploaded({ source, state: { status: "done", files: toFiles(["Trip/sea.png", "one"]) } })).toEqual([
    ["one", source],
  ]);
  expect(listUploaded({ source, state: { status: "running" } })).toEqual([]);
});

test("the files of a folder have theirs, unless it is not certain which is which", () => {
  const [sea, hill] = [inFolder("Trip/sea.png"), inFolder("Trip/day 1/hill.png")];
  const list = (...files: readonly [string, string][]) =>
    listUploaded({ source: [sea, hill], state: { status: "done", files: toFiles(...files) } });
  expect(list(["2026/Trip/sea.png", "one"], ["2026/Trip/day 1/hill.png", "two"])).toEqual([
    ["one", sea],
    ["two", hill],
  ]);
  // In another order, and as one folder.
  expect(list(["Trip/day 1/hill.png", "two"], ["Trip/sea.png", "one"])).toEqual([]);
  expect(list(["Trip", "root"])).toEqual([]);
  expect(list(["Trip", "root"], ["another Trip/day 1/hill.png", "two"])).toEqual([]);
});
