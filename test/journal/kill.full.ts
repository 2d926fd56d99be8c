import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { devnetForTests } from "../support/devnet-wire.ts";
import { bundleChild, type KillOutcome, killAndResume } from "./kill-rig.ts";

/** How many uploads are killed; a thousand in the full run. */
const KILLS = Number(process.env["KEEPLIGHT_KILLS"] ?? 20);
const AT_ONCE = 4;

const devnet = devnetForTests();
const kinds = [1, 20].flatMap((files) => [1_000, 20, 0].map((pauseMs) => ({ files, pauseMs })));

let folder: string;
let script: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "keeplight-kill-script-"));
  script = await bundleChild(folder);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test(`${KILLS} uploads that are killed at random moments are completed by another process`, async () => {
  const durations = await Promise.all(
    kinds.map(async (kind) => (await killAndResume(devnet(), script, { ...kind, killAfterMs: Infinity })).ranMs),
  );
  const outcomes: KillOutcome[] = [];
  let next = 0;
  const worker = async () => {
    while (next < KILLS) {
      const at = next++ % kinds.length;
      const kind = kinds[at] as (typeof kinds)[number];
      const killAfterMs = Math.random() * (durations[at] ?? 0);
      const outcome = await killAndResume(devnet(), script, { ...kind, killAfterMs });
      const { errors, left, unopenable, mostCopies, misplaced, exposed } = outcome;
      expect({ errors, left, unopenable, misplaced, exposed }, JSON.stringify({ ...kind, killAfterMs })).toEqual({
        errors: [],
        left: 0,
        unopenable: [],
        misplaced: [],
        exposed: [],
      });
      expect(mostCopies).toBeLessThanOrEqual(2);
      outcomes.push(outcome);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const count = (is: (outcome: KillOutcome) => boolean) => outcomes.filter(is).length;
  console.log(
    `${KILLS} uploads: ${count(({ isKilled }) => isKilled)} killed, ${count(({ isResumed }) => isResumed)} resumed, ` +
      `${count(({ mostCopies }) => mostCopies === 2)} sent twice`,
  );
  expect(count(({ isResumed }) => isResumed)).toBeGreaterThan(0);
}, 7_200_000);
