import { expect, test } from "vitest";
import { isLost } from "../../src/payment/run/wait-for-transaction.ts";

const since = { ms: 1_000, block: 500 };
const PATIENCE = 90_000;
const isLostAfter = (ms: number, blocks: number) =>
  isLost(since, { ms: since.ms + ms, block: since.block + blocks }, PATIENCE);

test.each([
  ["a chain with a block per second", 89_000, 89, false],
  ["a chain with a block per second", 90_000, 90, true],
  ["Filecoin, with a block in 30 seconds", 90_000, 3, false],
  ["Filecoin, with a block in 30 seconds", 330_000, 11, false],
  ["Filecoin, with a block in 30 seconds", 360_000, 12, true],
  ["a chain that stands still", 449_999, 0, false],
  ["a chain that stands still", 450_000, 0, true],
  ["a node that lags behind", 90_000, -3, false],
])("on %s, a transaction that is unknown for %i ms and %i blocks is lost: %s", (_, ms, blocks, expected) => {
  expect(isLostAfter(ms, blocks)).toBe(expected);
});
