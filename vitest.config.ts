import { availableParallelism } from "node:os";
import { build } from "esbuild";
import { defaultClientConditions, defaultServerConditions, type Plugin } from "vite";
import { defineConfig, type TestProjectConfiguration } from "vitest/config";
import { findChromiumOrWarn } from "./test/support/chromium.mjs";
import { inChromium } from "./test/support/in-chromium.ts";

/** Selects the TypeScript sources in this package's `imports` and `exports`. */
export const source = "keeplight-source";

/** As Node resolves packages, and `source`: files for bundlers are not for it. */
export const serverConditions = [source, ...defaultServerConditions.filter((condition) => condition !== "module")];

/** Fast tests that need no server, no network and no chain: `npm run test:unit` takes seconds. */
const unitTests = [
  "test/access-conditions/{aggregator,properties}.test.ts",
  "packages/conditions/test/explain.test.ts",
  "packages/backup/test/{chunker,format,retention}.test.ts",
  "test/account/{derive-account,wallet}.test.ts",
  "test/aes-gcm/{gcm-parts,segments,streaming,wycheproof}.test.ts",
  "packages/cli/test/{manual,parts}.test.ts",
  "test/crypto/{bytes,cancel-on-exit,encrypt-again,pbkdf2}.test.ts",
  "test/house/**/*.test.ts",
  "test/cid/{content-id,file,folder}.test.ts",
  "test/ethereum/next-node.test.ts",
  "test/errors/nearest-name.test.ts",
  "test/http/retry-delay.test.ts",
  "test/kavach/{repair-shards,shards,shards-agreement,shards-field,shards-vectors}.test.ts",
  "test/payment/{discover-wallets,errors-page,is-lost}.test.ts",
  "packages/proof/test/verify-proof.test.ts",
  "test/validation/{address,cid}.test.ts",
  "packages/codemod/test/{diff,quick-starts,rewrite,table}.test.ts",
];

/** Tests that replace modules, or what modules keep: each file has a process of its own. */
const isolatedTests = [
  "test/blocks/**/*.test.ts",
  "packages/backup/test/case.test.ts",
  "packages/bulk/test/keys-first.test.ts",
  "packages/server/test/full-disk.test.ts",
  "test/aes-gcm/streaming.test.ts",
  "test/docs/run-programs.test.ts",
  "test/errors/brand.test.ts",
  "test/journal/{lock-race,power-cut}.test.ts",
  "test/kavach/sign-in-race.test.ts",
  "test/simulation/**/*.test.ts",
  "test/transfer/{array-limit,offline-page,outputs,private-output,read-once,sent-memory}.test.ts",
];

/** Tests that encrypt for other programs, or decrypt what these have encrypted: by as many iterations as these. */
const formatTests = [
  "test/{crypto,interop,recovery}/**/*.test.ts",
  "packages/{lighthouse-sdk,recovery}/test/**/*.test.ts",
];

const unit: TestProjectConfiguration = {
  extends: true,
  // Importing takes a third of the time: the files of a worker share their modules.
  test: { name: "unit", include: unitTests, isolate: false },
};

const node: TestProjectConfiguration = {
  extends: true,
  test: {
    name: "node",
    include: ["test/**/*.test.ts", "packages/*/test/**/*.test.ts", "apps/*/test/**/*.test.ts"],
    exclude: ["test/browser/**", "packages/uppy/test/**", ...unitTests, ...isolatedTests, ...formatTests],
    setupFiles: ["test/support/few-iterations.mjs"],
    isolate: false,
  },
};

const format: TestProjectConfiguration = {
  extends: true,
  test: { name: "format", include: formatTests, exclude: [...unitTests, ...isolatedTests], isolate: false },
};

const isolated: TestProjectConfiguration = {
  extends: true,
  test: { name: "isolated", include: isolatedTests },
};

/** Lets the Service Worker of tests control the pages of the test runner, which are outside of its folder. */
const mediaWorker: Plugin = {
  name: "media-worker",
  configureServer: ({ middlewares }) =>
    void middlewares.use((request, response, next) => {
      if (request.url?.includes("/test/support/media-worker.ts")) response.setHeader("Service-Worker-Allowed", "/");
      next();
    }),
};

/** Serves the Service Worker that has a kit as its users build it: in one file, as it can load no code later. */
const kitWorker: Plugin = {
  name: "kit-worker",
  configureServer: ({ middlewares }) =>
    void middlewares.use("/test/browser/bundled-kit-worker.js", async (_, response, next) => {
      try {
        const { outputFiles } = await build({
          entryPoints: ["test/browser/kit-worker.ts"],
          bundle: true,
          write: false,
          conditions: [source],
          logLevel: "silent",
        });
        response.setHeader("Content-Type", "text/javascript");
        response.end(outputFiles[0]?.text);
      } catch (error) {
        next(error);
      }
    }),
};

export const browser = (executablePath: string) => ({
  extends: true as const,
  plugins: [mediaWorker, kitWorker],
  resolve: { conditions: [source, ...defaultClientConditions] },
  // Of what vitest itself loads: the global setup, which starts a devnet.
  environments: { __vitest__: { resolve: { conditions: serverConditions } } },
  // A dependency discovered while a page already runs would reload it in the middle of a test, so none
  // is: packages of many files are named here, the others are served as they are.
  optimizeDeps: {
    noDiscovery: true,
    include: [
      "@scure/bip32",
      "@scure/bip39",
      "@tanstack/react-query",
      "@uppy/core",
      "ethers",
      "ethers/abi",
      "ethers/address",
      "ethers/crypto",
      "ethers/hash",
      "ethers/transaction",
      "fast-check",
      "@wagmi/core",
      "react",
      "react/jsx-dev-runtime",
      "react-dom",
      "react-dom/client",
      "react-dom/server",
      "viem",
      "viem/accounts",
      "vitest-browser-react",
    ],
  },
  test: {
    name: "browser",
    include: [
      "test/{aes-gcm,crypto,streams}/**/*.test.ts",
      "test/kavach/shards*.test.ts",
      "test/browser/**/*.test.ts",
      "packages/react/test/**/*.test.tsx",
      "packages/uppy/test/**/*.test.ts",
    ],
    setupFiles: ["packages/react/test/traffic.ts"],
    globalSetup: ["test/support/browser-setup.ts", "packages/uppy/test/browser-setup.ts"],
    browser: inChromium(executablePath),
  },
});

export default defineConfig(async () => {
  const chromium = await findChromiumOrWarn();
  return {
    ssr: { resolve: { conditions: serverConditions } },
    // Against hanging for ever, not for speed: on a busy machine everything takes several times as long.
    test: {
      testTimeout: 180_000,
      hookTimeout: 180_000,
      // Tests wait for timers, servers and blocks of a chain for a quarter of their time; more workers are no faster.
      maxWorkers: Math.ceil(1.5 * availableParallelism()),
      expect: { poll: { timeout: 120_000 } },
      projects: [unit, node, format, isolated, ...(chromium ? [browser(chromium)] : [])],
    },
  };
});
