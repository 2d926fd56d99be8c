import { randomBytes } from "node:crypto";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright-core";
import { chromiumArgs } from "../../../test/support/chromium.mjs";
import { type Front, startApp } from "./app.ts";
import { type Measurement, measure } from "./heap.ts";
import { preferInputs } from "./prefer-inputs.ts";

const MIB = 1024 * 1024;
const TRANSFER_MS = 400_000;

/** Seconds of the processor. */
export interface CpuSeconds {
  /** Of the page, with its workers. */
  page: number;
  /** Of all processes: others read files and send. */
  browser: number;
}

/** The web app in a browser with a profile on disk, and an account signed in. */
export interface LargePage {
  /** Writes a file in which no two blocks are the same; returns its path. */
  makeFile(name: string, size: number): Promise<string>;
  /**
   * Uploads a file through the page, and waits until it is stored; also returns how many bytes of the site the browser
   * kept meanwhile at most, besides what it had kept before, as of the app itself, and what its processes computed.
   */
  upload(path: string, privacy: "Encrypted" | "Public"): Promise<Measurement & { keptBytes: number; cpu: CpuSeconds }>;
  /** Decrypts a file of the list; also returns the size of the result. */
  decrypt(name: string): Promise<Measurement & { size: number }>;
  close(): Promise<void>;
}

/** Reads what the processes of a browser have computed until now. */
export async function readCpuSeconds(context: BrowserContext): Promise<CpuSeconds> {
  const browser = context.browser();
  if (!browser) throw new Error("no browser");
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const sum = (processes: typeof processInfo) => processes.reduce((total, { cpuTime }) => total + cpuTime, 0);
  return { page: sum(processInfo.filter(({ type }) => type === "renderer")), browser: sum(processInfo) };
}

/** Writes a file in which no two blocks of 8 MiB are the same. */
export async function writeRandomFile(path: string, size: number): Promise<void> {
  const file = await open(path, "w");
  const block = randomBytes(8 * MIB);
  for (let written = 0; written < size; written += block.length) {
    block.writeBigUInt64LE(BigInt(written), 0);
    await file.write(block);
  }
  await file.close();
}

/** Starts the app, and opens it in a browser; `startFront` starts what is before its upload host, and speaks HTTPS. */
export async function openLargePage(
  executablePath: string,
  startFront?: (uploadHost: string) => Promise<Front>,
): Promise<LargePage> {
  const folder = await mkdtemp(join(tmpdir(), "keeplight-large-"));
  const app = await startApp({ chain: false }, startFront);
  // In an incognito profile the origin private file system is small.
  const context = await chromium.launchPersistentContext(join(folder, "profile"), {
    executablePath,
    args: [...chromiumArgs, ...(startFront ? ["--ignore-certificate-errors"] : [])],
    acceptDownloads: true,
  });
  await preferInputs(context);
  const page = await context.newPage();
  page.on("filechooser", () => undefined);
  await page.goto(app.url);
  await page.getByRole("button", { name: /Alice/ }).click();
  await page.getByRole("heading", { name: "Files", exact: true }).waitFor();

  return {
    async makeFile(name, size) {
      const path = join(folder, name);
      await writeRandomFile(path, size);
      return path;
    },
    async upload(path, privacy) {
      await page.getByRole("radio", { name: privacy }).check({ force: true });
      let keptBytes = 0;
      const readUsage = () => page.evaluate(async () => (await navigator.storage.estimate()).usage ?? 0);
      const keptBefore = await readUsage();
      const watching = setInterval(() => {
        readUsage().then(
          (usage) => {
            keptBytes = Math.max(keptBytes, usage - keptBefore);
          },
          () => undefined,
        );
      }, 500);
      const cpu = { page: 0, browser: 0 };
      const measured = await measure(page, async () => {
        const before = await readCpuSeconds(context);
        const [chooser] = await Promise.all([
          page.waitForEvent("filechooser"),
          page.getByRole("button", { name: "Add files" }).click(),
        ]);
        await chooser.setFiles(path);
        const title = page.getByRole("heading", { name: /^1 upload (complete|failed)$/ });
        await title.waitFor({ timeout: TRANSFER_MS });
        if ((await title.textContent()) !== "1 upload complete") throw new Error("upload failed");
        const after = await readCpuSeconds(context);
        Object.assign(cpu, { page: after.page - before.page, browser: after.browser - before.browser });
      }).finally(() => clearInterval(watching));
      await page.getByRole("button", { name: "Clear" }).click();
      return { ...measured, keptBytes, cpu };
    },
    async decrypt(name) {
      await page.getByRole("link", { name, exact: true }).click();
      const measured = await measure(page, async () => {
        await page.getByRole("button", { name: "Decrypt and open" }).click();
        await page.getByRole("link", { name: "Download" }).waitFor({ timeout: TRANSFER_MS });
      });
      const size = await page.evaluate(async () => {
        const url = document.querySelector<HTMLAnchorElement>("a[download]")?.href ?? "";
        return (await (await fetch(url)).blob()).size;
      });
      await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: "Files" }).click();
      return { ...measured, size };
    },
    async close() {
      await context.close();
      await app.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
