import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import type { DevnetOptions } from "../../../packages/devnet/src/index.ts";
import { chromiumArgs } from "../../../test/support/chromium.mjs";
import { type RunningApp, startApp } from "./app.ts";

/** Starts the app and a browser for all tests of a block; both are there while they run. */
export function appForTests(
  executablePath: string | undefined,
  options: DevnetOptions,
): { app: RunningApp; browser: Browser } {
  const started: { app?: RunningApp; browser?: Browser } = {};
  beforeAll(async () => {
    [started.app, started.browser] = await Promise.all([
      startApp(options),
      chromium.launch({ executablePath: executablePath ?? "", args: chromiumArgs }),
    ]);
  }, 60_000);
  afterAll(async () => {
    await started.browser?.close();
    await started.app?.close();
  });
  return started as { app: RunningApp; browser: Browser };
}
