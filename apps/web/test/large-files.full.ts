import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromiumOrWarn } from "../../../test/support/chromium.mjs";
import { type LargePage, openLargePage } from "./large-page.ts";

const executablePath = await findChromiumOrWarn();
const GIB = 1024 ** 3;

describe.skipIf(!executablePath)("large files in the web app", () => {
  let large: LargePage;

  beforeAll(async () => {
    large = await openLargePage(executablePath ?? "");
  });

  afterAll(() => large?.close());

  test("3 GiB from a file on disk are encrypted and uploaded in constant memory", async () => {
    const encrypted = await large.upload(await large.makeFile("film-3.mkv", 3 * GIB), "Encrypted");
    expect(encrypted.peakHeapMiB).toBeLessThanOrEqual(100);
  });
});
