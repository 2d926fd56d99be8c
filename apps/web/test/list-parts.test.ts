import { expect, test } from "vitest";
import { listParts } from "../src/ui/list-parts.ts";

const ROW = 10;
const COUNT = 1_000;
const visible = { start: 100, end: 150, before: 1_000, after: 8_500, row: ROW };

test.each([0, 50, 99, 100, 149, 150, 500, 999])("the list is as high, and in order, with row %i kept", (kept) => {
  const parts = listParts(visible, kept);
  const heights = parts.map((part) => ("height" in part ? part.height : ROW));
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(0);
  expect(heights.reduce((sum, height) => sum + height, 0)).toBe(COUNT * ROW);
  let above = 0;
  for (const part of parts) {
    if ("index" in part) expect(above).toBe(part.index * ROW);
    above += "height" in part ? part.height : ROW;
  }
  expect(parts).toContainEqual({ index: kept });
});
