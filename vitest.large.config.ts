import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";

/** What takes minutes and gigabytes of disk: `npm run test:large`. */
export default defineConfig({
  ssr: { resolve: { conditions: ["keeplight-source", ...defaultServerConditions] } },
  test: {
    name: "large",
    include: ["test/**/*.large.ts"],
    testTimeout: 600_000,
    hookTimeout: 120_000,
    fileParallelism: false,
    disableConsoleIntercept: true,
  },
});
