import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Wallet } from "ethers";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import type { Devnet } from "../../packages/devnet/src/index.ts";
import { createApiKey, decrypt, iterateFiles } from "../../src/index.ts";
import { chromiumArgs } from "../support/chromium.mjs";
import { killBrowser } from "../support/kill-browser.ts";
import type { PageJob, PageReport, UploadPage } from "./upload-in-page.ts";

/** How an upload of a page is interrupted. */
interface PageKill {
  files: number;
  pauseMs: number;
  /** When the browser is killed after the upload has started, in milliseconds; never, if it is infinite. */
  killAfterMs: number;
}

/** What was found after a browser was killed, and its profile opened again. */
export interface PageOutcome extends PageReport {
  /** Whether it was killed before the upload was done. */
  isKilled: boolean;
  /** Stored files that do not decrypt to what was uploaded. */
  unopenable: string[];
  /** Names of files that are not stored although the upload was resumed. */
  missing: string[];
  /** The most often that any file was stored. */
  mostCopies: number;
  /** Files of the profile's databases in which a secret, or the name of a file, is readable. */
  exposed: string[];
  /** How long the upload ran, in milliseconds. */
  ranMs: number;
}

/** Serves the page that uploads; returns its URL. */
export async function servePage(): Promise<{ url: string; close(): Promise<void> }> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("./upload-in-page.ts", import.meta.url))],
    bundle: true,
    format: "esm",
    platform: "browser",
    conditions: ["keeplight-source"],
    write: false,
    logLevel: "silent",
  });
  const script = outputFiles[0]?.text ?? "";
  const server = createServer(({ url }, response) => {
    const isScript = url === "/page.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? script : '<!doctype html><script type="module" src="/page.js"></script>');
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: async () => {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
}

declare const uploadPage: UploadPage;

/** A browser with a profile on the disk, which is killed and started again. */
export interface KilledBrowser {
  /** Uploads from a page, kills the browser, resumes from a page with the same profile, and checks what there is. */
  killAndResume(killCase: PageKill): Promise<PageOutcome>;
  close(): Promise<void>;
}

export async function startBrowser(devnet: Devnet, url: string, executablePath: string): Promise<KilledBrowser> {
  const profile = await mkdtemp(join(tmpdir(), "keeplight-profile-"));
  const { endpoints } = devnet;
  let [context, page] = await launch();

  async function launch(): Promise<[BrowserContext, Page]> {
    const started = await chromium.launchPersistentContext(profile, { executablePath, args: chromiumArgs });
    const opened = await started.newPage();
    await opened.goto(url);
    return [started, opened];
  }

  return {
    async killAndResume({ files, pauseMs, killAfterMs }) {
      const signer = Wallet.createRandom();
      const { privateKey } = signer;
      const apiKey = await createApiKey({ signer, endpoints });
      const texts = Array.from({ length: files }, (_, at): [string, string] => {
        return [`letter-${at}-${signer.address}.txt`, `file ${at} `.repeat(10_000)];
      });
      const job: PageJob = { texts, apiKey, privateKey, endpoints, pauseMs };
      const startedAt = performance.now();
      let isDone = false;
      const uploading = page
        .evaluate((given) => uploadPage.upload(given), job)
        .then(
          () => {
            isDone = true;
          },
          // The page ended with its browser.
          () => undefined,
        );
      await (Number.isFinite(killAfterMs) ? sleep(killAfterMs) : uploading);
      const isKilled = !isDone;
      const ranMs = performance.now() - startedAt;
      await killBrowser(context);
      await uploading;
      const exposed = await findExposed(profile, [apiKey, privateKey.slice(2), "letter-"]);
      [context, page] = await launch();
      const report = await page.evaluate((given) => uploadPage.resumeAll(given), { ...job, pauseMs: 0 });

      const owner = { signer, endpoints, pauseMs: 0, retryMs: 0 };
      const copies = new Map<string, number>();
      const unopenable: string[] = [];
      for await (const { cid, fileName } of iterateFiles({ apiKey, endpoints })) {
        const name = fileName ?? "";
        copies.set(name, (copies.get(name) ?? 0) + 1);
        const text = await decrypt(cid, owner).then(
          (bytes) => new TextDecoder().decode(bytes),
          (error) => String(error),
        );
        if (text !== new Map(texts).get(name)) unopenable.push(`${name} ${cid}: ${text.slice(0, 200)}`);
      }
      const missing = isDone || report.resumed > 0 ? texts.flatMap(([name]) => (copies.has(name) ? [] : [name])) : [];
      const mostCopies = Math.max(0, ...copies.values());
      return { ...report, isKilled, unopenable, missing, mostCopies, exposed, ranMs };
    },
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

async function findExposed(profile: string, secrets: readonly string[]): Promise<string[]> {
  const folder = join(profile, "Default", "IndexedDB");
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((file) => file.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const exposed: string[] = [];
  for (const path of files) {
    const bytes = await readFile(path);
    if (secrets.some((secret) => bytes.includes(secret) || bytes.includes(Buffer.from(secret, "utf16le")))) {
      exposed.push(path);
    }
  }
  return exposed;
}
