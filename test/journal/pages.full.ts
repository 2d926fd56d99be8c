import { afterAll, beforeAll, expect, test } from "vitest";
import { chromiumHint, findChromium } from "../support/chromium.mjs";
import { devnetForTests } from "../support/devnet-wire.ts";
import { type KilledBrowser, type PageOutcome, servePage, startBrowser } from "./page-rig.ts";

/** How many uploads are killed; two hundred in the full run. */
const KILLS = Number(process.env["KEEPLIGHT_PAGE_KILLS"] ?? 6);
const AT_ONCE = 2;

const devnet = devnetForTests();
const kinds = [
  { files: 1, pauseMs: 0 },
  { files: 1, pauseMs: 200 },
  { files: 20, pauseMs: 20 },
];

let server: Awaited<ReturnType<typeof servePage>>;
const browsers: KilledBrowser[] = [];

beforeAll(async () => {
  const executablePath = await findChromium();
  if (!executablePath) throw new Error(chromiumHint());
  server = await servePage();
  for (let at = 0; at < AT_ONCE; at++) browsers.push(await startBrowser(devnet(), server.url, executablePath));
});

afterAll(async () => {
  await Promise.all(browsers.map(({ close }) => close()));
  await server?.close();
});

test(`${KILLS} uploads of pages that are killed with their browser are completed by the next page`, async () => {
  const outcomes: PageOutcome[] = [];
  let next = 0;
  await Promise.all(
    browsers.map(async (browser) => {
      const durations: number[] = [];
      for (const kind of kinds) {
        const complete = await browser.killAndResume({ ...kind, killAfterMs: Infinity });
        expect(complete).toMatchObject({ isKilled: false, resumed: 0, unopenable: [], missing: [], exposed: [] });
        durations.push(complete.ranMs);
      }
      while (next < KILLS) {
        const at = next++ % kinds.length;
        const killCase = {
          ...(kinds[at] as (typeof kinds)[number]),
          killAfterMs: Math.random() * (durations[at] ?? 0),
        };
        const outcome = await browser.killAndResume(killCase);
        const { errors, left, unopenable, missing, exposed } = outcome;
        expect({ errors, left, unopenable, missing, exposed }, JSON.stringify(killCase)).toEqual({
          errors: [],
          left: 0,
          unopenable: [],
          missing: [],
          exposed: [],
        });
        const { names, mostCopies } = outcome;
        // One content id per file.
        expect(new Set(names).size).toBe(names.length);
        expect(mostCopies).toBeLessThanOrEqual(2);
        outcomes.push(outcome);
      }
    }),
  );
  const count = (is: (outcome: PageOutcome) => boolean) => outcomes.filter(is).length;
  console.log(
    `${KILLS} uploads of pages: ${count(({ isKilled }) => isKilled)} killed, ` +
      `${count(({ resumed }) => resumed > 0)} resumed, ${count(({ mostCopies }) => mostCopies === 2)} sent twice`,
  );
  expect(count(({ resumed }) => resumed > 0)).toBeGreaterThan(0);
}, 7_200_000);
