import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";

/** The tests that run against every mutant of the cryptography: `npm run test:mutation`. */
export default defineConfig({
  // The first selects the TypeScript sources in this package's `imports` and `exports`.
  ssr: { resolve: { conditions: ["keeplight-source", ...defaultServerConditions] } },
  test: {
    include: ["test/{aes-gcm,crypto}/**/*.test.ts", "test/kavach/{shards*,repair-shards}.test.ts"],
    testTimeout: 60_000,
  },
});
