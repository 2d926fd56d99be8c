import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, expect, test, vi } from "vitest";
import { chromiumHint, chromiumRequired, findChromium } from "./chromium.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const knip = join(root, "node_modules/knip/bin/knip.js");

afterEach(() => vi.unstubAllEnvs());

test("a required browser is installed, so that no test is skipped unnoticed", async () => {
  const missing = chromiumRequired() && (await findChromium()) === undefined;
  expect(missing, chromiumHint()).toBe(false);
});

test.each(["/nowhere/chromium", root, fileURLToPath(import.meta.url)])(
  "a CHROMIUM_PATH of %s is not a browser, and the hint names it",
  async (path) => {
    vi.stubEnv("CHROMIUM_PATH", path);
    expect(await findChromium()).toBeUndefined();
    expect(chromiumRequired()).toBe(true);
    expect(chromiumHint()).toBe(`CHROMIUM_PATH does not name an executable file: ${path}`);
  },
);

test.each([
  ["vitest list", vitest, ["list", "--filesOnly"]],
  ["knip", knip, []],
])(
  "%s works in CI on a machine without a browser",
  async (_, program, args) => {
    const env = { ...process.env, CI: "true", CHROMIUM_PATH: "/nowhere/chromium" };
    // Rejects if the program ends with anything but 0.
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, ...args], { cwd: root, env });
    expect(stdout + stderr).toContain("CHROMIUM_PATH does not name an executable file: /nowhere/chromium");
  },
  180_000,
);
