import { expect, test } from "vitest";
import { dataDirForTests } from "./data-dir.ts";
import { hashTrace, runHistory } from "./history.ts";
import { importKit } from "./kit.ts";

const dataDir = dataDirForTests();
const kit = await importKit();

test("one seed yields one history, and nothing is wrong with it", async () => {
  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const pacing = seed % 2 === 0 ? "mixed" : "sequential";
    const first = await runHistory(kit, seed, dataDir(), pacing);
    expect(first.violations).toEqual([]);
    expect(hashTrace(await runHistory(kit, seed, dataDir(), pacing))).toBe(hashTrace(first));
  }
});
