import { playwright } from "@vitest/browser-playwright";
import { chromiumArgs } from "./chromium.mjs";

/** Vitest's `browser`: tests run in a page of this Chromium. */
export const inChromium = (executablePath: string) => ({
  enabled: true,
  headless: true,
  screenshotFailures: false,
  provider: playwright({
    // The devnet's certificates are its own.
    launchOptions: { executablePath, args: [...chromiumArgs, "--ignore-certificate-errors"] },
  }),
  instances: [{ browser: "chromium" as const }],
});
