// @ts-check
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { chromiumHint, chromiumRequired, ensureChromium } from "../test/support/chromium.mjs";
import { ensureRecoveryTools } from "../test/support/external-tools.mjs";
import { ensureFirefox, firefoxHint } from "../test/support/firefox.mjs";

// Everything that must hold before a change is merged, each step even if an earlier one failed; with `--full` what
// takes minutes more: large files, memory, bundlers, runtimes. The last line is the sum: vitest's tests count one by one,
// every other step counts as one test. vitest's reports stay in `reports/`: `npm run slowest` lists the slowest files.

const full = process.argv.includes("--full");
const MINUTE = 60_000;
const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);
const scratch = mkdtempSync(join(tmpdir(), "keeplight-test-"));
const env = {
  ...process.env,
  PATH: `${join(root, "node_modules", ".bin")}${delimiter}${process.env["PATH"]}`,
  // Tests of the packages and of the web app take what is built here instead of building once more.
  KEEPLIGHT_TARBALLS: scratch,
  ...(full && { KEEPLIGHT_WEB_BUILD: join(scratch, "web") }),
};

const total = { passed: 0, failed: 0, skipped: 0 };
/** What failed, by name. @type {string[]} */
const failures = [];

/**
 * Runs commands one after another; shows the output of each once it has ended, so that others may run meanwhile.
 *
 * @param {readonly string[]} commands
 */
async function runSteps(commands) {
  for (const command of commands) {
    const started = performance.now();
    const { status, output } = await capture(command);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`\n> ${command}\n${output}${status === 0 ? "ok" : `FAILED (${status})`}, ${seconds} s`);
    total[status === 0 ? "passed" : "failed"] += 1;
    if (status !== 0) failures.push(command);
  }
}

/**
 * @param {string} command - for a shell
 * @param {{ show?: boolean }} [options] - `show`: passes the output on at once, in place of returning it
 * @returns {Promise<{ status: number | string | null, output: string }>}
 */
function capture(command, { show = false } = {}) {
  return new Promise((resolve) => {
    const to = show ? "inherit" : "pipe";
    const child = spawn(command, { env, shell: true, stdio: ["ignore", to, to], timeout: 60 * MINUTE });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text) => (output += text));
    child.on("error", (error) => resolve({ status: error.message, output }));
    child.on("close", (code, signal) => resolve({ status: signal ?? code, output }));
  });
}

/** Finds or installs the browser before anything loads vitest's config, which has a project for it. */
async function prepareChromium() {
  console.log("\n> find or install Chromium");
  const chromium = await ensureChromium();
  if (chromium) Object.assign(env, { CHROMIUM_PATH: chromium });
  console.log(chromium ?? chromiumHint());
  if (chromium || chromiumRequired()) total[chromium ? "passed" : "failed"] += 1;
}

/** Finds or installs Firefox before tests in parallel would; where it is required, they fail without it. */
function prepareFirefox() {
  console.log("\n> find or install Firefox");
  console.log(ensureFirefox() ?? firefoxHint());
}

/** Installs what the tests of recovery kits run, before tests in parallel would; they report what is missing. */
function prepareRecoveryTools() {
  try {
    ensureRecoveryTools();
  } catch (error) {
    console.log(error instanceof Error ? error.message : error);
  }
}

/** @typedef {{ name: string, status: string, assertionResults: { status: string, fullName: string }[] }} SuiteReport */

/**
 * Runs vitest and adds its tests to the total.
 *
 * @param {string} config
 * @param {{ show: boolean }} options - `show`: prints its output at once, and not when it has ended
 */
async function runVitest(config, { show }) {
  const report = `reports/${basename(config, ".config.ts")}.json`;
  rmSync(report, { force: true });
  const command = `vitest run --config ${config} --reporter=default --reporter=json --outputFile.json="${report}"`;
  if (show) console.log(`\n> ${command}`);
  const started = performance.now();
  const { status, output } = await capture(command, { show });
  const ok = status === 0;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (!show) console.log(`\n> ${command}\n${output}`);
  console.log(`${ok ? "ok" : `FAILED (${status})`}, ${seconds} s`);
  /** @type {{ testResults: SuiteReport[] }} */
  let { testResults } = { testResults: [] };
  try {
    ({ testResults } = JSON.parse(readFileSync(report, "utf8")));
  } catch {
    console.log("vitest left no report");
  }
  const states = testResults.flatMap((suite) => suite.assertionResults.map((test) => test.status));
  /** @param {string} status */
  const count = (status) => states.filter((state) => state === status).length;
  // A file that could not even be loaded has no failed test.
  const broken = testResults.filter(
    (suite) => suite.status === "failed" && !suite.assertionResults.some((test) => test.status === "failed"),
  ).length;
  const failed = count("failed") + broken;
  for (const { name, assertionResults } of testResults.filter((suite) => suite.status === "failed")) {
    const names = assertionResults.filter((test) => test.status === "failed").map((test) => `: ${test.fullName}`);
    failures.push(...(names.length > 0 ? names : [""]).map((test) => relative(root, name) + test));
  }
  total.passed += count("passed");
  // vitest also fails by an unhandled error, or before the first test.
  const isBroken = failed === 0 && (!ok || count("passed") === 0);
  if (isBroken) failures.push(`${config}, outside of its tests`);
  total.failed += isBroken ? 1 : failed;
  total.skipped += states.length - count("passed") - count("failed");
}

const pack = ["node scripts/build.mjs", `node scripts/pack.mjs "${scratch}"`];
const buildApp = `vite build apps/web --logLevel error --outDir "${join(scratch, "web")}"`;
const checks = [
  "npm run --silent typecheck",
  "biome ci --colors=off .",
  "node scripts/check-imports.mjs",
  "knip",
  `node scripts/check-packages.mjs "${scratch}"`,
  "typedoc",
];

/** Runs all tests; those of the hooks on React 18 wait often enough to run beside others. */
async function runTests() {
  if (!full) return runVitest("vitest.config.ts", { show: true });
  const hooks = runVitest("vitest.react-18.config.ts", { show: false });
  await Promise.all([runVitest("vitest.full.config.ts", { show: true }), hooks]);
}

try {
  await prepareChromium();
  if (full) prepareFirefox();
  prepareRecoveryTools();
  await runSteps(full ? [...pack, buildApp] : pack);
  // The tests wait more than a tenth of the time, for servers and browsers: enough for the checks.
  await Promise.all(full ? [runTests()] : [runTests(), runSteps(checks)]);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
for (const name of failures) console.log(`failed: ${name}`);
console.log(`\n${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ""}`);
process.exitCode = total.failed > 0 ? 1 : 0;
