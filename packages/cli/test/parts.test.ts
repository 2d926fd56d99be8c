import fc from "fast-check";
import { expect, test } from "vitest";
import { suggest } from "../src/generate/suggest.ts";
import { clean, formatAmount, formatBytes, formatDuration, toSafeJson } from "../src/output/format.ts";
import { formatTable } from "../src/output/table.ts";
import { toFileName } from "../src/steps/file-names.ts";

test("a name from the network never leaves the folder, is no option, and is valid everywhere", () => {
  const names: [string, string | undefined][] = [
    ["photo.jpg", "photo.jpg"],
    ["../../etc/passwd", "passwd"],
    ["..\\..\\boot.ini", "boot.ini"],
    ["/", undefined],
    ["..", undefined],
    ["", undefined],
    [".bashrc", "bashrc"],
    ["-rf", "rf"],
    ["--help", "help"],
    ["con", "_con"],
    ["NUL.txt", "_NUL.txt"],
    ["lpt1", "_lpt1"],
    ["a\u0000b\u001b[31mc", "a_b_[31mc"],
    ["fdp\u202e.exe", "fdp_.exe"],
    ["what?.txt. ", "what_.txt"],
    ["~/secret", "secret"],
    ["\u{1f600}.png", "\u{1f600}.png"],
  ];
  expect(names.map(([name]) => toFileName(name))).toEqual(names.map(([, cleaned]) => cleaned));
  expect(toFileName(`${"é".repeat(300)}.jpeg`)).toMatch(/^é+\.jpeg$/);
});

test("for any name, what is left of it is one short name of one folder", () => {
  const hostile = fc.string({ unit: fc.constantFrom(..."ab./\\-~ :*?|\u0000\u001b\u007f\u009b\u202eé\u{1f600}") });
  const anything = fc
    .array(fc.integer({ max: 0x10ffff, min: 0 }), { maxLength: 90 })
    .map((codes) => String.fromCodePoint(...codes));
  fc.assert(
    fc.property(fc.oneof(hostile, anything), (name) => {
      const cleaned = toFileName(name);
      if (cleaned === undefined) return;
      expect(cleaned).not.toMatch(/[/\\<>:"|?*]|\p{Cc}|^[.\-~\s]|[.\s]$|\u202e/u);
      expect(Buffer.byteLength(cleaned)).toBeLessThanOrEqual(201);
    }),
  );
});

test("what is printed holds no control character", () => {
  const hostile = "a\u001b]0;title\u0007\u009b31m\r\n\u202eb";
  expect(clean(hostile)).toBe("a\ufffd]0;title\ufffd\ufffd31m\ufffd\ufffd\ufffdb");
  const json = toSafeJson({ name: hostile, amount: 2n ** 70n });
  expect(json).not.toMatch(/\p{Cc}|\u202e/u);
  expect(JSON.parse(json)).toEqual({ name: hostile, amount: "1180591620717411303424" });
});

test("a table fits the width, and never cuts a content id", () => {
  const columns = [
    { title: "Name", shrinks: true },
    { title: "Size", align: "right" as const },
    { title: "Content id" },
  ];
  const rows = [
    ["a very long name of a file indeed.txt", "1 B", "bafy1234567890"],
    ["漢字漢字漢字漢字漢字漢字漢字漢字漢字.txt", "12 KiB", "bafy0987654321"],
  ];
  expect(formatTable(columns, rows, 40).split("\n")).toEqual([
    "Name                Size  Content id",
    "a very long nam…     1 B  bafy1234567890",
    "漢字漢字漢字漢…   12 KiB  bafy0987654321",
  ]);
  expect(
    formatTable(
      [...columns, { title: "Day of the week", optional: true }],
      rows.map((row) => [...row, "x"]),
      40,
    ),
  ).toBe(formatTable(columns, rows, 40));
  expect(formatTable(columns, rows.slice(1), 20)).toBe(
    "Name        漢字漢字漢字漢字漢字漢字漢字漢字漢字.txt\nSize        12 KiB\nContent id  bafy0987654321",
  );
  // A name is cut to 8 columns, and no further.
  expect(formatTable(columns, rows, 32).split("\n")[1]).toBe("a very …     1 B  bafy1234567890");
  expect(formatTable(columns, rows, 31).split("\n")[0]).toBe("Name        a very long name of a file indeed.txt");
  expect(formatTable(columns, rows, undefined)).toContain("a very long name of a file indeed.txt");
});

test("sizes, durations and amounts are formatted for people", () => {
  expect([0, 1023, 1024, 1_500_000, 2 ** 40, "17", null, ""].map(formatBytes)).toEqual([
    "0 B",
    "1023 B",
    "1.0 KiB",
    "1.4 MiB",
    "1.0 TiB",
    "17 B",
    "?",
    "?",
  ]);
  expect([0, 5, 65, 3_605, Number.POSITIVE_INFINITY].map(formatDuration)).toEqual([
    "0:00",
    "0:05",
    "1:05",
    "1:00:05",
    "-:--",
  ]);
  expect([formatAmount(1_500_000n, 6), formatAmount(1n, 18), formatAmount(20n, 0)]).toEqual([
    "1.5",
    "0.000000000000000001",
    "20",
  ]);
});

test("shells are offered commands, options, values and files", () => {
  const values = (...typed: string[]) => suggest(typed).words.map(([word]) => word);
  expect(values("de")).toEqual(["decrypt", "delegate", "devnet"]);
  expect(values("names", "")).toEqual(["list", "create", "publish", "remove"]);
  expect(values("names", "publish", "--d")).toEqual(["--dry-run"]);
  expect(values("quote", "--token", "us")).toEqual(["usdc", "usdt"]);
  expect(values("completion", "")).toEqual(["bash", "zsh", "fish", "powershell"]);
  expect(suggest(["up", ""])).toEqual({ words: [], directive: 0 });
  expect(suggest(["up", "one", "--conditions", ""])).toEqual({ words: [], directive: 0 });
  expect(suggest(["up", "--recovery-to", ""])).toEqual({ words: [], directive: 16 });
  expect(suggest(["bulk", "run", ""])).toEqual({ words: [], directive: 16 });
  expect(suggest(["bulk", "run", "--ledger", ""])).toEqual({ words: [], directive: 4 });
  expect(suggest(["share", "bafy", ""])).toEqual({ words: [], directive: 4 });
  expect(suggest(["up", "--", "--enc"])).toEqual({ words: [], directive: 0 });
  expect(values("nothing", "")).toEqual([]);
});
