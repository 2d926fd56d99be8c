import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const execute = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
const tsx = createRequire(import.meta.url).resolve("tsx/cli");

const examples = readdirSync(new URL("../../examples/", import.meta.url)).filter((name) => name.endsWith(".ts"));

/** Makes the examples use a devnet, regardless of the shell's variables, and the demo a small file. */
function createEnvironment(): NodeJS.ProcessEnv {
  const { KEEPLIGHT_API_KEY: _key, KEEPLIGHT_PRIVATE_KEY: _privateKey, ...rest } = process.env;
  return { ...rest, KEEPLIGHT_DEMO_MIB: "8" };
}

test("there is an example for every area", () => {
  expect(examples.sort()).toEqual([
    "demo.ts",
    "encrypt-and-share.ts",
    "folder.ts",
    "ipns-site.ts",
    "proof.ts",
    "quote.ts",
    "token-gated-file.ts",
    "upload.ts",
  ]);
});

test.each(examples)(
  "%s passes its own checks",
  async (name) => {
    // Rejects unless the exit code is 0.
    const { stdout } = await execute(process.execPath, [tsx, "--conditions=keeplight-source", `examples/${name}`], {
      cwd: root,
      env: createEnvironment(),
    });
    expect(stdout).toMatch(/[1-9]\d* checks passed, 0 failed\.\n$/);
  },
  600_000,
);
