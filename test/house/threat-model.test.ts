import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { listRows } from "../attacks/threat-model.ts";

const folder = new URL("../attacks/", import.meta.url);
const page = readFileSync(new URL("../../THREAT-MODEL.md", import.meta.url), "utf8");

test("the table of THREAT-MODEL.md says what the tests of attacks prove", () => {
  const [, table = ""] = page.split("| attack (name of its test) |");
  const rows = table.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| ---"));
  expect(rows).toEqual(listRows());
});

test("every test of an attack is in the table, and every row has a test", () => {
  const rows = listRows();
  const tests = readdirSync(folder).filter((name) => /\.(test|full)\.ts$/.test(name));
  expect(rows.filter((row) => !tests.some((name) => row.endsWith(`| ${name} |`)))).toEqual([]);
  for (const name of tests) {
    const text = readFileSync(new URL(name, folder), "utf8");
    const own = rows.filter((row) => row.endsWith(`| ${name} |`));
    const titles = Array.from(text.matchAll(/^ *test\("(.*?)",/gm), ([, title = ""]) => title);
    // A file without tests of its own runs the cases that its rows are made of.
    const usesCases = /^testAttacks\(/m.test(text);
    expect(usesCases ? [] : own.map((row) => row.split(" | ")[0]?.slice(2)), name).toEqual(titles);
    expect(own.length, name).toBeGreaterThan(0);
  }
});
