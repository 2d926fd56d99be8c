import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as kit from "../../../src/index.ts";
import * as kavach from "../../kavach/src/index.ts";
import * as lighthouse from "../../lighthouse-sdk/src/index.ts";
import { tables } from "../src/tables.ts";

const page = readFileSync(new URL("../../../docs/coming-from-lighthouse.md", import.meta.url), "utf8");
const rows = page.split("\n").filter((line) => line.startsWith("| "));

const entries = Object.entries(tables).flatMap(([name, table]) =>
  Object.entries(table).map(([call, entry]) => ({ name, call, entry })),
);

test("the tables have the calls of the drop-in", () => {
  const namesOf = (calls: object) => Object.keys(calls).filter((name) => name !== "default");
  expect(Object.keys(tables.lighthouse).sort()).toEqual(namesOf(lighthouse).sort());
  expect(Object.keys(tables.kavach).sort()).toEqual(namesOf(kavach).sort());
});

test.each(entries)("$name $call: the documentation has the same call of the kit", ({ call, entry }) => {
  const found = rows.filter((line) => new RegExp(`^\\| [^|]*\`${call}[(\`]`).test(line));
  expect(found).not.toEqual([]);
  if (typeof entry !== "object") return;
  expect(Object.keys(kit)).toContain(entry.to);
  expect(found.map((line) => line.split("|")[2]).join()).toContain(`${entry.to}(`);
});
