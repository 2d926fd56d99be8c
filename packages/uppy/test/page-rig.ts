import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Wallet } from "ethers";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { chromiumArgs, chromiumHint, findChromium } from "../../../test/support/chromium.mjs";
import { killBrowser } from "../../../test/support/kill-browser.ts";
import type * as PageCode from "./page-code.ts";
import { startUploadServer } from "./upload-server.ts";

/** A page with an Uppy, in a browser with a profile on the disk, which is killed and started again. */
export type PageRig = Awaited<ReturnType<typeof openPageRig>>;

async function bundlePage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("./page-code.ts", import.meta.url))],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "pageCode",
    footer: { js: "globalThis.pageCode = pageCode;" },
    conditions: ["keeplight-source", "browser"],
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}

/** @param options - without `keepBodies` the server does not keep, and compare, what arrives */
export async function openPageRig({ keepBodies = true, chunkBytes = 65_536 } = {}) {
  const found = await findChromium();
  if (!found) throw new Error(chromiumHint());
  const executablePath: string = found;
  const folder = await mkdtemp(join(tmpdir(), "keeplight-uppy-page-"));
  const script = await bundlePage();
  const server = await startUploadServer({
    keepBodies,
    pages: {
      "/": { type: "text/html", body: '<input type="file"><script src="/page.js"></script>' },
      "/page.js": { type: "text/javascript", body: script },
    },
  });
  const signer = Wallet.createRandom();
  const setup: PageCode.PageSetup = {
    endpoints: server.devnet.endpoints,
    control: server.control,
    privateKey: signer.privateKey,
    chunkBytes,
    retryDelays: [100, 200, 400, 800, 1_600, 3_200],
  };

  async function start(): Promise<[BrowserContext, Page]> {
    const started = await chromium.launchPersistentContext(join(folder, "profile"), {
      executablePath,
      args: chromiumArgs,
    });
    return [started, await open(started.pages()[0] ?? (await started.newPage()))];
  }

  async function open(page: Page): Promise<Page> {
    await page.goto(server.origin);
    return page;
  }

  let [context, page] = await start();

  function runIn<Name extends keyof typeof PageCode>(where: Page, name: Name, ...parameters: unknown[]) {
    return where.evaluate(
      ([called, given]) => {
        const code = (globalThis as unknown as { pageCode: Record<string, (...all: unknown[]) => never> }).pageCode;
        return code[called]?.(...given);
      },
      [name as string, parameters] as const,
    ) as Promise<Awaited<(typeof PageCode)[Name] extends (...given: never[]) => infer Result ? Result : never>>;
  }

  return {
    server,
    signer,
    setup,
    folder,
    context: () => context,
    page: () => page,
    /** Opens another tab. */
    openTab: async () => open(await context.newPage()),
    runIn,
    /** Uploads files in the page. */
    upload: (files: readonly PageCode.PageFile[]) => runIn(page, "upload", setup, files),
    takeEvents: () => server.takeEvents() as PageCode.PageEvent[],
    /** Kills all processes of the browser, and opens its page again. */
    async killAndStart(): Promise<void> {
      await killBrowser(context);
      [context, page] = await start();
    },
    async close(): Promise<void> {
      await context.close();
      await server.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
