import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { transform } from "esbuild";
import { Wallet } from "ethers";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Devnet, startDevnet } from "../../packages/devnet/src/index.ts";
import { uploadInParts } from "../../packages/server/test/tus-client.ts";
import { createApiKey, download } from "../../src/index.ts";
import { chromiumArgs, findChromium } from "../support/chromium.mjs";
import { expectNoNodeCode } from "./bundle.ts";
import { createFreshApp, environment, type FreshApp } from "./fresh-app.ts";
import { openPage, runJobs } from "./in-chromium.ts";

const MINUTES = 600_000;
const executablePath = await findChromium();

describe("a Next.js app whose server uses the package too", () => {
  let app: FreshApp;
  let devnet: Devnet;
  let browser: Browser | undefined;
  let server: { url: string; stop(): Promise<string> } | undefined;

  beforeAll(async () => {
    const fixtures = { next: ".", "plain/jobs.js": "app/jobs.js", "plain/files.js": "app/files.js" };
    const own = ["conditions", "media", "proof", "react", "server"].map((name) => `@keeplight/${name}`);
    [app, devnet, browser] = await Promise.all([
      createFreshApp(fixtures, ["ethers", "next", "react", "react-dom"], ["keeplight", ...own]),
      startDevnet(),
      executablePath ? chromium.launch({ executablePath, args: chromiumArgs }) : undefined,
    ]);
    await addUploadRoutes(app.folder);
  }, MINUTES);

  afterAll(async () => {
    await server?.stop();
    await browser?.close();
    await devnet?.close();
    await app?.remove();
  });

  test(
    "is built without a warning",
    async () => {
      const output = await app.run("next", "build");
      expect(output).toContain("Compiled successfully");
      expect(output).not.toMatch(/warn|⚠|⨯|deprecat|could not|can't/i);
    },
    MINUTES,
  );

  test("loads no Node code and no polyfill in pages", async () => {
    await expectNoNodeCode(join(app.folder, ".next/static"));
  });

  test.skipIf(!executablePath)(
    "encrypts, shares, sets conditions, decrypts with hooks in the page, stores and opens files on the server, and resumes uploads",
    async () => {
      server = await startServer(app, devnet);
      if (!browser) return;
      const opened = await openPage(browser, devnet, server.url);
      await runJobs(opened, "Next.js");
      const { page, problems } = opened;
      await page.getByLabel("Note").fill("from the server");
      await page.getByRole("button", { name: "Store" }).click();
      await page.getByText("note.txt: from the server").waitFor();
      expect(problems).toEqual([]);
      const bytes = new Uint8Array(10 * 1024 * 1024).map((_, at) => at % 251);
      const stored = await uploadInParts(`${server.url}/api/uploads`, bytes, { Authorization: "Bearer session" });
      const back = await download(stored.Hash, { endpoints: devnet.endpoints });
      expect(Buffer.compare(back, bytes)).toBe(0);
      expect(await server.stop()).not.toMatch(/warn|⚠|⨯|error/i);
    },
    MINUTES,
  );
});

/** Adds the routes of `examples/server` to an app. */
async function addUploadRoutes(folder: string): Promise<void> {
  const routes = { upload: "next", "uploads/[[...id]]": "next-resumable" };
  for (const [route, example] of Object.entries(routes)) {
    await mkdir(join(folder, "app/api", route), { recursive: true });
    for (const [name, target] of [
      [example, "route"],
      ...["handle-upload", "handle-resumable"].map((own) => [own, own]),
    ]) {
      const source = await readFile(new URL(`../../examples/server/${name}.ts`, import.meta.url), "utf8");
      const { code } = await transform(source, { loader: "ts" });
      const imported = code.replace(/(?<="\.\/handle-\w+)\.ts(?=")/g, ".js");
      await writeFile(join(folder, "app/api", route, `${target}.js`), imported);
    }
  }
}

/** Runs `next start` on loopback; `stop` returns its output. */
async function startServer(
  { folder }: FreshApp,
  { endpoints, accounts }: Devnet,
): Promise<{ url: string; stop(): Promise<string> }> {
  const args = [join(folder, "node_modules/next/dist/bin/next"), "start", "--hostname", "127.0.0.1", "--port", "0"];
  const signer = new Wallet(accounts[0]?.privateKey ?? "");
  const env = {
    ...environment,
    ENDPOINTS: JSON.stringify(endpoints),
    PRIVATE_KEY: signer.privateKey,
    KEEPLIGHT_API_KEY: await createApiKey({ signer, endpoints }),
    KEEPLIGHT_ENDPOINTS: JSON.stringify(endpoints),
    SESSION_TOKEN: "session",
  };
  const server: ChildProcess = spawn(process.execPath, args, {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(server, "exit");
  let output = "";
  const ready = new Promise<string>((resolve, reject) => {
    const collect = (chunk: Buffer) => {
      output += chunk;
      const [url] = /http:\/\/127\.0\.0\.1:[1-9]\d*/.exec(output) ?? [];
      if (url && output.includes("Ready")) resolve(url);
    };
    server.stdout?.on("data", collect);
    server.stderr?.on("data", collect);
    ended.then(() => reject(new Error(`next start ended: ${output}`)), reject);
  });
  const stop = async () => {
    server.kill();
    await ended;
    return output;
  };
  return { url: await ready, stop };
}
