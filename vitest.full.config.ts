import { availableParallelism } from "node:os";
import { env } from "node:process";
import { defineConfig, type TestProjectConfiguration } from "vitest/config";
import { findFirefox } from "./test/support/firefox.mjs";
import { inFirefox } from "./test/support/in-firefox.ts";
import { browser, serverConditions } from "./vitest.config.ts";

/** What differs between engines in the SDK: ciphers, a whole job, files that are gone, bytes beyond memory. The browser's other tests run in Chromium. */
const inEngine = ["test/aes-gcm/gcm.test.ts", "test/browser/{deleted-source,spool,whole-job}.test.ts"];

function inOtherEngine(executablePath: string): TestProjectConfiguration {
  const { test, ...project } = browser(executablePath);
  // KEEPLIGHT_FIREFOX=all runs all of them.
  const include = env["KEEPLIGHT_FIREFOX"] === "all" ? test.include : inEngine;
  return { ...project, test: { ...test, name: "firefox", include, browser: inFirefox(executablePath) } };
}

/** Tests in which one process, and children of it, encrypt and decrypt: see `test/support/few-iterations.mjs`. */
const withFewIterations = [
  "test/journal/{downloads,downloads-killed,kill}.full.ts",
  "test/folders/killed.full.ts",
  "test/kavach/one-node-down.full.ts",
  "packages/{backup,bulk}/test/**/*.full.ts",
  "packages/cli/test/{every-command,get-folder,hard-places,interrupts,kill,pay-per-upload,secrets}.full.ts",
  "packages/drive/test/{histories,kill}.full.ts",
];

/** Tests that measure the memory of their process, or replace modules: each file has a process of its own. */
const isolatedTests = [
  "test/{simulation,transfer}/**/*.full.ts",
  "test/blocks/{changed-bits,large-folder,slow-streams}.full.ts",
  "packages/{devnet,server}/test/memory.full.ts",
  "packages/drive/test/profile.full.ts",
  "packages/recovery/test/many-files.full.ts",
  "packages/uppy/test/large.full.ts",
];

const firefox = findFirefox();

/** Tests that take minutes, gigabytes of disk or packages of their own: `npm run test:full`. */
export default defineConfig({
  ssr: { resolve: { conditions: serverConditions } },
  test: {
    testTimeout: 1_200_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    // Half of their time, tests of pages and commands wait; more workers are no faster.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    disableConsoleIntercept: true,
    projects: [
      {
        extends: true,
        test: {
          name: "full",
          include: ["test/**/*.full.ts", "packages/*/test/**/*.full.ts"],
          exclude: [...withFewIterations, ...isolatedTests],
          // What they import takes seconds: the files of a worker share it.
          isolate: false,
        },
      },
      { extends: true, test: { name: "isolated", include: isolatedTests } },
      {
        extends: true,
        test: {
          name: "few",
          include: withFewIterations,
          setupFiles: ["test/support/few-iterations.mjs"],
          isolate: false,
        },
      },
      { extends: true, test: { name: "app", include: ["apps/*/test/**/*.full.ts"], isolate: false } },
      ...(firefox ? [inOtherEngine(firefox)] : []),
    ],
  },
});
