import { playwright } from "@vitest/browser-playwright";
import { chromiumArgs } from "./chromium.mjs";

/** Vitest's `browser`: tests run in a page of this Chromium. */
export const inChromium = (executablePath: string) => ({
  enabled: true,
  headless: true,
  screenshotFailures: false,
  provider: playwright({ launchOptions: { executablePath, args: chromiumArgs } }),
  instances: [{ browser: "chromium" as const }],
});
