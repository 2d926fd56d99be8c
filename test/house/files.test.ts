import { expect, test } from "vitest";
import { readSources } from "./sources.ts";

const sources = readSources();

test("files and folders of every src are named in kebab-case", () => {
  const segment = "[a-z0-9]+(-[a-z0-9]+)*";
  const name = new RegExp(`^(${segment}/)*${segment}\\.(d\\.ts|tsx?|json)$|/README\\.md$`);
  expect(sources.map(({ path }) => path).filter((path) => !name.test(path))).toEqual([]);
});

test("no file of any src is longer than 300 lines", () => {
  expect(sources.filter(({ lines }) => lines > 300).map(({ path, lines }) => `${path}: ${lines} lines`)).toEqual([]);
});
