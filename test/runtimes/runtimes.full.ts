import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { Wallet } from "ethers";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { type Devnet, startDevnet } from "../../packages/devnet/src/index.ts";
import { uploadInParts } from "../../packages/server/test/tus-client.ts";
import { createApiKey, createKit } from "../../src/index.ts";
import { tarballDependencies } from "../package/tarball.ts";
import { failure } from "../support/failure.ts";
import { startUploadServer } from "./upload-server.ts";

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

/** Which of `examples/server` each runtime serves; Node runs them as JavaScript. */
const servers: Readonly<Record<string, readonly string[]>> = {
  "Node 20": ["node.mjs", "hono.mjs", "express.mjs", "fastify.mjs"],
  "Node 22": ["node.mjs"],
  "Node 24": ["node.mjs"],
  Bun: ["bun.ts"],
  Deno: ["deno.ts"],
};

let folder: string;
let devnet: Devnet;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "keeplight-runtimes-"));
  devnet = await startDevnet();
  const packed = await tarballDependencies(folder, ["keeplight", "@keeplight/server"]);
  const { ethers } = packageJson.dependencies;
  const { hono, "@hono/node-server": adapter, express, fastify } = packageJson.devDependencies;
  const dependencies = { ...packages, ...packed, ethers, hono, "@hono/node-server": adapter, express, fastify };
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
  await copyFile(new URL("main-job.mjs", import.meta.url), join(folder, "main-job.mjs"));
  for (const name of ["handle-upload", "handle-resumable", "node", "hono", "express", "fastify", "bun", "deno"]) {
    const source = await readFile(new URL(`../../examples/server/${name}.ts`, import.meta.url), "utf8");
    await writeFile(join(folder, `${name}.ts`), source);
    const { code } = await transform(source, { loader: "ts" });
    await writeFile(join(folder, `${name}.mjs`), code.replace(/(?<="\.\/handle-\w+)\.ts(?=")/g, ".mjs"));
  }
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

const uploadServers = Object.entries(servers).flatMap(([runtime, names]) =>
  names.map((name) => [runtime, name] as const),
);
test.each(uploadServers)(
  "%s serves uploads of pages by %s",
  async (runtime, name) => {
    const { endpoints } = devnet;
    const signer = Wallet.createRandom();
    const apiKey = await createApiKey({ signer, endpoints });
    const env = {
      KEEPLIGHT_API_KEY: apiKey,
      KEEPLIGHT_ENDPOINTS: JSON.stringify(endpoints),
      SESSION_TOKEN: "session",
      UPLOAD_FOLDER: join(folder, `uploads-${name}`),
    };
    const server = await startUploadServer([...(runtimes[runtime] ?? []), name], { cwd: folder, env });
    onTestFinished(() => server.stop());
    const { url } = server;
    const kit = createKit({ via: { url, token: "session" }, endpoints, signer, pauseMs: 0 });

    const bytes = new Uint8Array(20 * 1024 * 1024).map((_, at) => at % 251);
    const [plain] = await kit.uploadBuffer(bytes, { name: "plain.bin", verifyCid: true });
    expect(Buffer.compare(await kit.download(plain.Hash), bytes)).toBe(0);
    const [secret] = await kit.uploadEncrypted(bytes, { name: "secret.bin" });
    expect(Buffer.compare(await kit.decrypt(secret.Hash), bytes)).toBe(0);

    const tooLarge = { name: "large", size: 1e12, stream: endless() };
    expect(await failure(kit.upload(tooLarge))).toMatchObject({ code: "FILE_TOO_LARGE" });
    expect(await failure(kit.upload({ name: "unknown", stream: endless() }))).toMatchObject({ code: "FILE_TOO_LARGE" });
    expect(await failure(kit.upload(bytes, { via: url }))).toMatchObject({ code: "UPLOAD_REFUSED" });
    const abort = new AbortController();
    const aborted = kit.upload(
      { name: "a", stream: endless() },
      { signal: abort.signal, onProgress: () => abort.abort() },
    );
    expect(await failure(aborted)).toMatchObject({ code: "ABORTED" });

    if (runtime.startsWith("Node")) {
      const stored = await uploadInParts(`${url}s`, bytes, { Authorization: "Bearer session" });
      expect(Buffer.compare(await kit.download(stored.Hash), bytes)).toBe(0);
    }

    const [again] = await kit.uploadText("afterwards", { verifyCid: true });
    expect(again.Name).toBe("text.txt");
    expect(server.output()).not.toContain(apiKey);
  },
  JOB_TIMEOUT_MS,
);

async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) yield new Uint8Array(65_536);
}
