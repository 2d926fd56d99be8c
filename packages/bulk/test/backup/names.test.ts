import { expect, test } from "vitest";
import { isBadOnWindows } from "../../src/backup/restore-backup.ts";

test.each(["a:b", "a\\b", "con", "NUL.txt", "com1", "dot.", "space ", "a?", "tab\t"])(
  "Windows has no name %j",
  (name) => {
    expect(isBadOnWindows(name)).toBe(true);
  },
);

test.each(["a", ".hidden", "console", "a.con", "ü", "com", "a b"])("Windows has names such as %j", (name) => {
  expect(isBadOnWindows(name)).toBe(false);
});
