import { expect, test } from "vitest";
import { dataDirForTests } from "./data-dir.ts";
import { runHistory } from "./history.ts";
import { importKit } from "./kit.ts";
import { FAILED_SEEDS } from "./seeds.ts";

/** One seed, whose whole trace is printed; or how many histories, from which seed. */
const { SEED, FIRST_SEED = "1", HISTORIES = "1000" } = process.env;

const dataDir = dataDirForTests();
const kit = await importKit();

function listSeeds(): number[] {
  if (SEED !== undefined) return [Number(SEED)];
  return [...FAILED_SEEDS, ...Array.from({ length: Number(HISTORIES) }, (_, at) => Number(FIRST_SEED) + at)];
}

test("no history loses a key, admits whom it should not, or leaves anything open", async () => {
  const failed: number[] = [];
  for (const seed of listSeeds()) {
    const { trace, violations } = await runHistory(kit, seed, dataDir());
    if (violations.length > 0) failed.push(seed);
    // Of many failures, the first one's trace will do.
    if (SEED !== undefined || (violations.length > 0 && failed.length === 1)) console.log(trace.join("\n"));
    for (const violation of violations) console.log(`SEED=${seed}: ${violation}`);
  }
  expect(failed).toEqual([]);
});
