import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { serverConditions } from "./vitest.config.ts";

/** Tests that take minutes, gigabytes of disk or packages of their own: `npm run test:full`. */
export default defineConfig({
  ssr: { resolve: { conditions: serverConditions } },
  test: {
    testTimeout: 1_200_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    // Half of their time, tests of pages and commands wait.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    disableConsoleIntercept: true,
    projects: [
      { extends: true, test: { name: "full", include: ["test/**/*.full.ts", "packages/*/test/**/*.full.ts"] } },
      // What they import takes seconds: the files of a worker share it.
      { extends: true, test: { name: "app", include: ["apps/*/test/**/*.full.ts"], isolate: false } },
    ],
  },
});
