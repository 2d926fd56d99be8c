import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { devnetForTests } from "../support/devnet-wire.ts";
import { bundleChild, killedCalls, paces } from "./child.ts";
import { killCall } from "./kill-calls.ts";
import { type KillOutcome, killAndResume } from "./kill-rig.ts";

/** How many uploads are killed; a thousand in the full run. */
const KILLS = Number(process.env["KEEPLIGHT_KILLS"] ?? 8);
const AT_ONCE = 4;

const devnet = devnetForTests();
const kinds = [1, 20].flatMap((files) => Object.values(paces).map((pace) => ({ files, pace })));

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
      const { errors, left, unopenable, notInKit, mostCopies, misplaced, exposed } = outcome;
      expect(
        { errors, left, unopenable, notInKit, misplaced, exposed },
        JSON.stringify({ ...kind, killAfterMs }),
      ).toEqual({
        errors: [],
        left: 0,
        unopenable: [],
        notInKit: [],
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

test(`${KILLS} owner calls that are killed at random moments are completed by another process, or were not made`, async () => {
  const kinds = killedCalls.flatMap((kind) =>
    [paces.quick, paces.unpaced, paces.parallel].map((pace) => ({ kind, pace })),
  );
  const durations: number[] = [];
  for (const kind of kinds)
    durations.push((await killCall(devnet(), script, { ...kind, killAfterMs: Infinity })).ranMs);
  const counts = { killed: 0, resumed: 0 };
  for (let call = 0; call < KILLS; call++) {
    const at = call % kinds.length;
    const kind = kinds[at] as (typeof kinds)[number];
    const killAfterMs = Math.random() * (durations[at] ?? 0);
    const outcome = await killCall(devnet(), script, { ...kind, killAfterMs });
    const { isMade, isUndone, errors, left } = outcome;
    const isConsistent = isMade !== isUndone && (isMade || (outcome.isKilled && !outcome.isResumed));
    expect({ isConsistent, errors, left }, JSON.stringify({ ...kind, killAfterMs, ...outcome })).toEqual({
      isConsistent: true,
      errors: [],
      left: 0,
    });
    counts.killed += Number(outcome.isKilled);
    counts.resumed += Number(outcome.isResumed);
  }
  console.log(`${KILLS} owner calls: ${counts.killed} killed, ${counts.resumed} resumed`);
  expect(counts.killed).toBeGreaterThan(0);
}, 7_200_000);
