import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Devnet, startDevnet } from "../../src/devnet/index.ts";
import { chromiumArgs, findChromium } from "../support/chromium.mjs";
import { expectNothingOfNode } from "./bundle.ts";
import { environment, type FreshApp, freshApp } from "./fresh-app.ts";
import { doEverything, openPage } from "./in-chromium.ts";

const MINUTES = 180_000;
const executablePath = await findChromium();

describe("an app of Next.js, whose server uses the package too", () => {
  let app: FreshApp;
  let devnet: Devnet;
  let browser: Browser | undefined;
  let server: { url: string; stop(): Promise<string> } | undefined;

  beforeAll(async () => {
    [app, devnet, browser] = await Promise.all([
      freshApp({ next: ".", "plain/jobs.js": "app/jobs.js", "plain/files.js": "app/files.js" }, [
        "ethers",
        "next",
        "react",
        "react-dom",
      ]),
      startDevnet(),
      executablePath ? chromium.launch({ executablePath, args: chromiumArgs }) : undefined,
    ]);
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

  test("has nothing of Node in what pages load, nor a polyfill", async () => {
    await expectNothingOfNode(join(app.folder, ".next/static"));
  });

  test.skipIf(!executablePath)(
    "encrypts, shares, sets conditions, decrypts by hooks in the page, and stores and opens files on the server",
    async () => {
      server = await startServer(app, devnet);
      if (!browser) return;
      const opened = await openPage(browser, devnet, server.url);
      await doEverything(opened, "Next.js");
      const { page, complaints } = opened;
      await page.getByLabel("Note").fill("from the server");
      await page.getByRole("button", { name: "Store" }).click();
      await page.getByText("note.txt: from the server").waitFor();
      expect(complaints).toEqual([]);
      expect(await server.stop()).not.toMatch(/warn|⚠|⨯|error/i);
    },
    MINUTES,
  );
});

/** `next start` on loopback; `stop` gives all that it has said. */
async function startServer(
  { folder }: FreshApp,
  { endpoints, accounts }: Devnet,
): Promise<{ url: string; stop(): Promise<string> }> {
  const args = [join(folder, "node_modules/next/dist/bin/next"), "start", "--hostname", "127.0.0.1", "--port", "0"];
  const env = { ...environment, ENDPOINTS: JSON.stringify(endpoints), PRIVATE_KEY: accounts[0]?.privateKey };
  const server: ChildProcess = spawn(process.execPath, args, {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(server, "exit");
  let said = "";
  const ready = new Promise<string>((resolve, reject) => {
    const hear = (text: Buffer) => {
      said += text;
      const [url] = /http:\/\/127\.0\.0\.1:[1-9]\d*/.exec(said) ?? [];
      if (url && said.includes("Ready")) resolve(url);
    };
    server.stdout?.on("data", hear);
    server.stderr?.on("data", hear);
    ended.then(() => reject(new Error(`next start ended: ${said}`)), reject);
  });
  const stop = async () => {
    server.kill();
    await ended;
    return said;
  };
  return { url: await ready, stop };
}
