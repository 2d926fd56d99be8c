import { expect, test } from "vitest";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { runHistory } from "./random-history.ts";

/** How many histories are run; a thousand in the full run. */
const HISTORIES = Number(process.env["DRIVE_HISTORIES"] ?? 6);
const FIRST = Number(process.env["DRIVE_FIRST_HISTORY"] ?? 1);

const devnet = devnetForTests();

test(`two devices that change a drive at random have the same of it, and all of it, after ${HISTORIES} histories`, async () => {
  const counts: Record<string, number> = {};
  const wrong: string[] = [];
  for (let seed = FIRST; seed < FIRST + HISTORIES; seed++) {
    const outcome = await runHistory(devnet(), seed);
    const found = outcome.wrong.map((problem) => `history ${seed}: ${problem}`);
    if (found.length > 0) console.log(found.join("\n"));
    wrong.push(...found);
    for (const [what, times] of Object.entries(outcome.counts)) counts[what] = (counts[what] ?? 0) + times;
  }
  console.log(JSON.stringify(counts));
  expect(wrong).toEqual([]);
}, 7_200_000);
