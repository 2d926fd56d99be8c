import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";

/** What takes minutes and gigabytes of disk: `npm run test:large`. */
export default defineConfig({
  // The first selects the TypeScript sources in this package's `imports` and `exports`.
  ssr: { resolve: { conditions: ["keeplight-source", ...defaultServerConditions] } },
  test: {
    include: ["test/**/*.large.ts"],
    testTimeout: 600_000,
    hookTimeout: 120_000,
    fileParallelism: false,
    disableConsoleIntercept: true,
  },
});
