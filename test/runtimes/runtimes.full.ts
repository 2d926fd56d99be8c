import { execFile } from "node:child_process";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { type Devnet, startDevnet } from "../../src/devnet/index.ts";
import { packageTarball } from "../package/tarball.ts";

const execute = promisify(execFile);
const INSTALL_TIMEOUT_MS = 300_000;
const JOB_TIMEOUT_MS = 120_000;

const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
const isMusl = process.platform === "linux" && header.glibcVersionRuntime === undefined;
const suffix = process.platform === "linux" ? (isMusl ? "-musl" : "-glibc") : "";
const target = `${process.platform}-${process.arch}`;
const bunTarget = `${process.platform}-${process.arch === "arm64" ? "aarch64" : process.arch}${isMusl ? "-musl" : ""}`;

/** npm packages that carry a runtime, by the name they are installed under; none needs an install script. */
const packages = {
  node20: `npm:node-${target}@20`,
  node22: `npm:node-${target}@22`,
  node24: `npm:node-${target}@24`,
  bun: `npm:@oven/bun-${bunTarget}@1`,
  deno: `npm:@deno/${target}${suffix}@2`,
};

/** How each runtime starts a script, from the folder of the packages. */
const runtimes: Readonly<Record<string, readonly string[]>> = {
  "Node 20": ["node_modules/node20/bin/node"],
  "Node 22": ["node_modules/node22/bin/node"],
  "Node 24": ["node_modules/node24/bin/node"],
  Bun: ["node_modules/bun/bin/bun", "run"],
  Deno: ["node_modules/deno/deno", "run", "--allow-all", "--no-lock"],
};

let folder: string;
let devnet: Devnet;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "keeplight-runtimes-"));
  devnet = await startDevnet();
  const tarball = await packageTarball(folder);
  const ethers = packageJson.dependencies.ethers;
  const dependencies = { ...packages, keeplight: `file:${tarball}`, ethers };
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
  await copyFile(new URL("main-job.mjs", import.meta.url), join(folder, "main-job.mjs"));
  const quiet = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  await execute("npm", ["install", ...quiet], { cwd: folder });
}, INSTALL_TIMEOUT_MS);

afterAll(async () => {
  await devnet?.close();
  await rm(folder, { recursive: true, force: true });
});

test.each(Object.entries(runtimes))(
  "%s uploads, encrypts, recovers and decrypts with the installed package",
  async (_name, [command = "", ...args]) => {
    const account = devnet.accounts[1];
    const input = [JSON.stringify(devnet.endpoints), account?.privateKey ?? ""];
    const { stdout } = await execute(command, [...args, "main-job.mjs", ...input], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual({ downloaded: true, decrypted: true, saved: true, recovered: true });
  },
  JOB_TIMEOUT_MS,
);
