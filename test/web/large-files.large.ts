import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../support/chromium.mjs";
import type { Measured } from "./heap.ts";
import { type LargePage, openLargePage } from "./large-page.ts";

const executablePath = await findChromium();
const GIB = 1024 ** 3;

describe.skipIf(!executablePath)("large files in the web app", () => {
  let large: LargePage;

  beforeAll(async () => {
    large = await openLargePage(executablePath ?? "");
  });

  afterAll(() => large?.close());

  function tell(what: string, { peakHeapMiB, longestTaskMs, seconds }: Measured): void {
    console.log(
      `${what}: ${seconds.toFixed(1)} s, heap ${peakHeapMiB} MiB, longest task ${longestTaskMs.toFixed(0)} ms`,
    );
  }

  test("while 1 GiB is encrypted and uploaded, the page answers", async () => {
    const up = await large.upload(await large.makeFile("film-1.mkv", GIB), "Encrypted");
    tell("1 GiB, encrypted upload", up);
    tell("1 GiB, decryption", await large.decrypt("film-1.mkv"));
    expect(up.longestTaskMs).toBeLessThanOrEqual(50);
  });

  test("3 GiB from a disk file are uploaded encrypted, with a flat heap, at 0.4 of a plain upload's pace", async () => {
    const path = await large.makeFile("film-3.mkv", 3 * GIB);
    const plain = await large.upload(path, "Public");
    tell("3 GiB, plain upload", plain);
    const encrypted = await large.upload(path, "Encrypted");
    tell("3 GiB, encrypted upload", encrypted);
    expect(encrypted.peakHeapMiB).toBeLessThanOrEqual(100);
    expect(plain.seconds / encrypted.seconds).toBeGreaterThanOrEqual(0.4);
  });
});
