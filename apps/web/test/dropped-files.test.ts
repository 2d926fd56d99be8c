import { expect, onTestFinished, test, vi } from "vitest";
import { readDroppedSources } from "../src/files/dropped-files.ts";
import { pickFiles } from "../src/uploads/pick-files.ts";

const toFile = (name: string, isReadable = true) => ({
  name,
  isFile: true,
  fullPath: `/${name}`,
  file: (resolve: (file: File) => void, reject: (error: unknown) => void) =>
    isReadable ? resolve(new File([name], name)) : reject(new DOMException("It has gone", "NotFoundError")),
});

function toFolder(name: string, children: readonly object[]) {
  const batches = [children, []];
  const createReader = () => ({ readEntries: (resolve: (batch: unknown) => void) => resolve(batches.shift()) });
  return { name, isDirectory: true, fullPath: `/${name}`, createReader };
}

test("a dropped file or folder that cannot be read is named, and the others are added", async () => {
  const folders = [toFolder("Trip", [toFile("one.txt")]), toFolder("Broken", [toFile("two.txt"), toFile("x", false)])];
  const entries = [toFile("a.txt"), toFile("gone.txt", false), ...folders, toFolder("Nothing", []), toFile("b.txt")];
  const items = entries.map((entry) => ({ webkitGetAsEntry: () => entry }));
  const { sources, ...refused } = await readDroppedSources({ items } as unknown as DataTransfer);
  expect(sources.map((source) => (Array.isArray(source) ? source.map(({ name }) => name) : source.name))).toEqual([
    "a.txt",
    ["one.txt"],
    "b.txt",
  ]);
  expect(refused).toEqual({ empty: ["Nothing"], unreadable: ["gone.txt", "Broken"] });
});

test("a picked file that cannot be read is named, and the others are added", async () => {
  const toHandle = (name: string, file: Promise<File>) => ({ name, getFile: () => file });
  const a = new File(["a"], "a.txt");
  const gone = Promise.reject(new DOMException("It has gone", "NotFoundError"));
  const handles = [toHandle("gone.txt", gone), toHandle("a.txt", Promise.resolve(a))];
  vi.stubGlobal("window", { showOpenFilePicker: async () => handles });
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(await pickFiles()).toEqual({ picked: [{ file: a, handle: handles[1] }], unreadable: ["gone.txt"] });
});
