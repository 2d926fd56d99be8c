import { defaultClientConditions, defaultServerConditions } from "vite";
import { defineConfig, type TestProjectConfiguration } from "vitest/config";
import { findChromiumOrWarn } from "./test/support/chromium.mjs";
import { inChromium } from "./test/support/in-chromium.ts";

/** Selects the TypeScript sources in this package's `imports` and `exports`. */
const source = "keeplight-source";

const node: TestProjectConfiguration = {
  extends: true,
  test: {
    name: "large",
    include: ["test/**/*.large.ts"],
    exclude: ["test/browser/**"],
    sequence: { groupOrder: 0 },
  },
};

const browser = (executablePath: string): TestProjectConfiguration => ({
  extends: true,
  resolve: { conditions: [source, ...defaultClientConditions] },
  // A dependency discovered while the page already runs would reload it.
  optimizeDeps: { noDiscovery: true },
  test: {
    name: "large in a page",
    include: ["test/browser/**/*.large.ts"],
    sequence: { groupOrder: 1 },
    browser: inChromium(executablePath),
  },
});

/** What takes minutes and gigabytes of disk: `npm run test:large`. */
export default defineConfig(async () => {
  const chromium = await findChromiumOrWarn();
  return {
    ssr: { resolve: { conditions: [source, ...defaultServerConditions] } },
    test: {
      testTimeout: 600_000,
      hookTimeout: 120_000,
      fileParallelism: false,
      disableConsoleIntercept: true,
      projects: chromium ? [node, browser(chromium)] : [node],
    },
  };
});
