import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createOptionFiles } from "../../scripts/docs/options.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("the tables of options, and the help of commands, are what the doc comments say", () => {
  for (const { path, text } of createOptionFiles()) {
    expect(readFileSync(path, "utf8"), `${relative(root, path)}: npm run docs:options writes it again`).toBe(text);
  }
});

test("every option of every call says what it does", () => {
  const [page] = createOptionFiles();
  expect(page?.text).not.toMatch(/\|\s*\|$/m);
  expect(page?.text).not.toContain("{@link");
});
