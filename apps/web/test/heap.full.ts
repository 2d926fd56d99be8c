import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../../../test/support/chromium.mjs";
import { type LargePage, openLargePage } from "./large-page.ts";

const executablePath = await findChromium();
const GIB = 1024 ** 3;
const MINUTES = 300_000;

describe.skipIf(!executablePath)("a large file in the web app", () => {
  let large: LargePage;

  beforeAll(async () => {
    large = await openLargePage(executablePath ?? "");
  }, MINUTES);

  afterAll(() => large?.close());

  test(
    "1 GiB is encrypted, uploaded and decrypted in constant memory",
    async () => {
      const up = await large.upload(await large.makeFile("film.mkv", GIB), "Encrypted");
      const down = await large.decrypt("film.mkv");
      expect(down.size).toBe(GIB);
      expect(up.peakHeapMiB).toBeLessThanOrEqual(150);
      expect(down.peakHeapMiB).toBeLessThanOrEqual(150);
    },
    MINUTES,
  );
});
