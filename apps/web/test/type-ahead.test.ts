import { expect, test } from "vitest";
import { createTypeAhead } from "../src/files/type-ahead.ts";

const names = ["Änderung", "anna", "Anton", "bea", "Berta 2", "zoe"];

/** Types letters at the times given, in milliseconds; returns where each leads. */
function typeAll(letters: readonly (readonly [letter: string, now: number])[], from = 0): number[] {
  const typeAhead = createTypeAhead();
  let current = from;
  return letters.map(([letter, now]) => {
    const at = typeAhead.type(letter, now, { count: names.length, current, getName: (index) => names[index] ?? "" });
    if (at >= 0) current = at;
    return at;
  });
}

test("one letter, also repeated, finds the next name, and after the last the first", () => {
  expect(typeAll([["a", 0]])).toEqual([1]);
  expect(typeAll([["a", 0], ["a", 100], ["A", 200]])).toEqual([1, 2, 1]); // biome-ignore format: one line
  expect(typeAll([["ä", 0]], 4)).toEqual([0]);
});

test("several letters find a name that starts with all of them, the current one included", () => {
  expect(typeAll([..."berta 2"].map((letter, at) => [letter, at * 100] as const))).toEqual([3, 3, 4, 4, 4, 4, 4]);
  expect(typeAll([["b", 0], ["x", 100]])).toEqual([3, -1]); // biome-ignore format: one line
});

test("a pause starts again", () => {
  expect(typeAll([["b", 0], ["z", 900]])).toEqual([3, 5]); // biome-ignore format: one line
});
