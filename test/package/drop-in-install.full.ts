import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { account, devnetForTests, getApiKey } from "../support/devnet-wire.ts";
import { type DropInRegistry, serveRegistry } from "./drop-in-registry.ts";
import { withOneUrl } from "./one-url.ts";
import { packageTarball } from "./tarball.ts";

const scripts = fileURLToPath(new URL("drop-in/", import.meta.url));
const execute = promisify(execFile);
const devnet = devnetForTests();

let scratch: string;
let registry: DropInRegistry;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "keeplight-drop-ins-"));
  await packageTarball(scratch);
  registry = await serveRegistry(["packages/kavach", "packages/lighthouse-sdk"], scratch);
}, 600_000);

afterAll(async () => {
  registry.close();
  await rm(scratch, { recursive: true, force: true });
});

/** Creates a project whose `@lighthouse-web3` packages are aliases. */
async function createProject(): Promise<{ folder: string; run: (...command: string[]) => Promise<string> }> {
  const folder = await mkdtemp(join(scratch, "project-"));
  const keeplight = `file:${await packageTarball(folder)}`;
  const dependencies = {
    "@lighthouse-web3/kavach": "npm:@keeplight/kavach@0.1.0",
    "@lighthouse-web3/sdk": "npm:@keeplight/lighthouse-sdk@0.1.0",
    keeplight,
  };
  const overrides = { keeplight };
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, dependencies, overrides }));
  await writeFile(join(folder, "pnpm-workspace.yaml"), `overrides:\n  keeplight: ${JSON.stringify(keeplight)}\n`);
  await writeFile(join(folder, ".npmrc"), `@keeplight:registry=${registry.url}\n`);
  await cp(scripts, folder, { recursive: true });
  const run = async (command = "", ...args: string[]) => {
    const env = { ...process.env, npm_config_cache: join(scratch, "cache") };
    return (await execute(command, args, { cwd: folder, env })).stdout;
  };
  return { folder, run };
}

describe.each([
  { manager: "npm", install: ["npm", "install", "--no-audit", "--no-fund"] },
  { manager: "pnpm", install: ["npx", "--yes", "pnpm@12.21.0", "install", "--no-frozen-lockfile"] },
])("installed by $manager under the names of the incumbent", ({ install }) => {
  test("they run its programs", async () => {
    const { folder, run } = await createProject();
    await run(...install);
    const file = join(folder, "photo.txt");
    await writeFile(file, "a file");
    const apiKey = await getApiKey(devnet(), account(devnet(), 0));
    await withOneUrl(devnet().endpoints, async (url) => {
      for (const script of ["script.mjs", "script.cjs"]) {
        const printed = JSON.parse(await run(process.execPath, script, url, apiKey, file));
        expect(printed.uploaded.data.Name, script).toBe("photo.txt");
      }
    });
  });
});

test("Jest loads them as CommonJS, and replaces their calls", async () => {
  const { folder, run } = await createProject();
  await run("npm", "install", "--no-audit", "--no-fund", "jest@30.5.2");
  const apiKey = await getApiKey(devnet(), account(devnet(), 0));
  await withOneUrl(devnet().endpoints, async (url) => {
    const variables = [`DROP_IN_URL=${url}`, `DROP_IN_API_KEY=${apiKey}`];
    const jest = [process.execPath, "node_modules/jest/bin/jest.js", "--testMatch", "**/*.test.cjs", "--json"];
    const report = JSON.parse(await run("env", ...variables, ...jest, "--rootDir", folder));
    expect(report).toMatchObject({ success: true, numPassedTests: 4 });
  });
});
