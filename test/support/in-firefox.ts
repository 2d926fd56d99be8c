import { playwright } from "@vitest/browser-playwright";
import { firefox } from "playwright";
import { withoutOptionalCommand } from "./launch-firefox.ts";

/** Vitest's `browser`: tests run in a page of this Firefox. */
export function inFirefox(executablePath: string) {
  // Vitest launches the browser itself.
  const launch = firefox.launch.bind(firefox);
  firefox.launch = async (options) => withoutOptionalCommand(await launch(options));
  return {
    enabled: true,
    headless: true,
    screenshotFailures: false,
    provider: playwright({ launchOptions: { channel: "moz-firefox", executablePath } }),
    instances: [{ browser: "firefox" as const }],
  };
}
