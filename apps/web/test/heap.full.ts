import { env } from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../../../test/support/chromium.mjs";
import { type LargePage, openLargePage } from "./large-page.ts";

const executablePath = await findChromium();
const MIB = 1024 ** 2;
/** More than the page may hold. */
const SIZE = Number(env["KEEPLIGHT_LARGE_MIB"] ?? 512) * MIB;
const MINUTES = 600_000;

describe.skipIf(!executablePath)("a large file in the web app", () => {
  let large: LargePage;

  beforeAll(async () => {
    large = await openLargePage(executablePath ?? "");
  }, MINUTES);

  afterAll(() => large?.close());

  test(
    "is encrypted, uploaded and decrypted in constant memory",
    async () => {
      const up = await large.upload(await large.makeFile("film.mkv", SIZE), "Encrypted");
      const down = await large.decrypt("film.mkv");
      expect(down.size).toBe(SIZE);
      expect(up.peakHeapMiB).toBeLessThanOrEqual(100);
      expect(down.peakHeapMiB).toBeLessThanOrEqual(150);
    },
    MINUTES,
  );
});
