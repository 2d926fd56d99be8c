import { expect, test } from "vitest";
import { dataDirForTests } from "./data-dir.ts";
import { runHistory } from "./history.ts";
import { importKit } from "./kit.ts";
import { failedRuns, type SeededRun } from "./seeds.ts";

/** One seed, whose whole trace is printed, and its pacing; or how many histories, from which seed. */
const { SEED, PACING, FIRST_SEED = "1", HISTORIES = "100" } = process.env;

const dataDir = dataDirForTests();
const kit = await importKit();

/** Lists what to run: half of the histories call nodes at once now and then. */
function listRuns(): SeededRun[] {
  if (SEED !== undefined) return [{ seed: Number(SEED), pacing: PACING === "mixed" ? "mixed" : "sequential" }];
  const others = Array.from({ length: Number(HISTORIES) }, (_, at): SeededRun => {
    const seed = Number(FIRST_SEED) + at;
    return { seed, pacing: seed % 2 === 0 ? "mixed" : "sequential" };
  });
  return [...failedRuns, ...others];
}

test("no history loses a key, admits whom it should not, or leaves anything open", async () => {
  const failed: number[] = [];
  for (const { seed, pacing } of listRuns()) {
    const { trace, violations } = await runHistory(kit, seed, dataDir(), pacing);
    if (violations.length > 0) failed.push(seed);
    // Of many failures, the first one's trace will do.
    if (SEED !== undefined || (violations.length > 0 && failed.length === 1)) console.log(trace.join("\n"));
    for (const violation of violations) console.log(`SEED=${seed} PACING=${pacing}: ${violation}`);
  }
  expect(failed).toEqual([]);
});
