import { env } from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../../../test/support/chromium.mjs";
import { eventually } from "../../../test/support/eventually.ts";
import { type FilmRig, openFilmRig } from "./film-rig.ts";

const MIB = 1024 * 1024;
const executablePath = await findChromium();
const bytes = Number(env["KEEPLIGHT_FILM_BYTES"] ?? 768 * MIB);

// KEEPLIGHT_FILM_BYTES=4831838208 npx vitest run --config vitest.full.config.ts apps/web/test/film

describe.skipIf(!executablePath)("an encrypted film", () => {
  let rig: FilmRig;

  beforeAll(async () => {
    rig = await openFilmRig(executablePath ?? "", bytes, 0);
  });

  afterAll(() => rig?.close());

  test("is shown at any position, of which only the parts around it are fetched", async () => {
    const { duration } = await rig.call("play");
    expect(duration).toBe(rig.seconds);
    const far = [0.95, 0.1, 0.5, 0.999, 0].map((part) => Math.floor(part * rig.seconds) + 0.5);
    for (const second of far) {
      await rig.call("seek", second);
      await eventually(async () => expect(await rig.call("look"), `second ${second}`).toEqual(rig.expectedAt(second)));
    }
    expect(rig.relay.countReceived()).toBeLessThan(far.length * 60 * MIB);
  });

  test("is read beyond 4 GiB, or at its end, as at its start", async () => {
    const last = Math.min(rig.size, 2 ** 32 + 2 ** 20);
    expect(await rig.call("read", last - 100, last)).toBe(100);
  });
});
