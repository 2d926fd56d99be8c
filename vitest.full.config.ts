import { availableParallelism } from "node:os";
import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";

/** Tests that take minutes, gigabytes of disk or packages of their own: `npm run test:full`. */
export default defineConfig({
  // The first selects the TypeScript sources in this package's `imports` and `exports`.
  ssr: { resolve: { conditions: ["keeplight-source", ...defaultServerConditions] } },
  test: {
    include: ["test/**/*.full.ts", "packages/*/test/**/*.full.ts", "apps/*/test/**/*.full.ts"],
    testTimeout: 1_200_000,
    hookTimeout: 300_000,
    // Half of their time, tests of pages and commands wait.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    disableConsoleIntercept: true,
  },
});
