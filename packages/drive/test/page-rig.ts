import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Wallet } from "ethers";
import { createApiKey, createKit, type Endpoints, openJournal } from "keeplight";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { chromiumArgs, chromiumHint, findChromium } from "../../../test/support/chromium.mjs";
import { scratch } from "../../../test/support/files.ts";
import { killBrowser } from "../../../test/support/kill-browser.ts";
import { openDrive } from "../src/index.ts";
import type * as PageCode from "./page-code.ts";

/** A new account, for a page and for Node. */
export async function createOwner(endpoints: Endpoints, journal: string) {
  const signer = Wallet.createRandom();
  const apiKey = await createApiKey({ signer, endpoints });
  const own = { signer, apiKey, endpoints, pauseMs: 0, retryMs: 0 };
  const inPage: PageCode.PageAccount = { endpoints, apiKey, privateKey: signer.privateKey, journal };
  return {
    signer,
    apiKey,
    inPage,
    kit: createKit(own),
    /** Opens the drive on another device. */
    open: async () => openDrive({ ...own, journal: await openJournal({ folder: await scratch() }) }),
  };
}

/** A page with a drive, in a browser with a profile on the disk, which is killed and started again. */
export interface PageRig {
  /** Folder of the profile. */
  profile: string;
  /** Calls a function of the page's code. */
  run<Name extends keyof typeof PageCode>(
    name: Name,
    ...parameters: Parameters<(typeof PageCode)[Name]>
  ): Promise<Awaited<ReturnType<(typeof PageCode)[Name]>>>;
  /** Returns what the page has told since the last time. */
  takeEvents(): PageCode.PageEvent[];
  /** Kills all processes of the browser, or has it end by itself. */
  stop(how: "kill" | "close"): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

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

export async function openPageRig(): Promise<PageRig> {
  const executablePath = await findChromium();
  if (!executablePath) throw new Error(chromiumHint());
  const folder = await mkdtemp(join(tmpdir(), "keeplight-drive-page-"));
  const profile = join(folder, "profile");
  const script = await bundlePage();
  let events: PageCode.PageEvent[] = [];

  const server = createServer(async (request, response) => {
    if (request.method === "POST") {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      events.push(JSON.parse(Buffer.concat(chunks).toString()) as PageCode.PageEvent);
      response.end();
    } else if (request.url === "/page.js") response.setHeader("Content-Type", "text/javascript").end(script);
    else response.setHeader("Content-Type", "text/html").end('<script src="/page.js"></script>');
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  const start = async (): Promise<[BrowserContext, Page]> => {
    const started = await chromium.launchPersistentContext(profile, { executablePath, args: chromiumArgs });
    const opened = started.pages()[0] ?? (await started.newPage());
    await opened.goto(url);
    return [started, opened];
  };

  let [context, page] = await start();
  return {
    profile,
    run: (name, ...parameters) =>
      page.evaluate(
        ([called, given]) => {
          const code = (globalThis as unknown as { pageCode: Record<string, (...all: unknown[]) => never> }).pageCode;
          return code[called]?.(...given);
        },
        [name as string, parameters as unknown[]] as const,
      ) as never,
    takeEvents() {
      const taken = events;
      events = [];
      return taken;
    },
    stop: (how) => (how === "kill" ? killBrowser(context) : context.close()),
    async start() {
      [context, page] = await start();
    },
    async close() {
      await context.close();
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
