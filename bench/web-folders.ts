// Measures, in Chromium, an encrypted folder of many small files in the web app, beside the kit's own time for the same
// files in the same page. `npx tsx --conditions=keeplight-source bench/web-folders.ts [files]`.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Wallet } from "ethers";
import { type Browser, chromium, type Page } from "playwright-core";
import { type RunningApp, startApp } from "../apps/web/test/app.ts";
import { preferInputs } from "../apps/web/test/prefer-inputs.ts";
import { createApiKey } from "../src/index.ts";
import { chromiumArgs, chromiumHint, findChromium } from "../test/support/chromium.mjs";
import type * as FolderUpload from "./folder-upload.ts";
import { judge, median } from "./judge.ts";

const count = Number(process.argv[2] ?? 1_000);
const ROUNDS = 3;

/** Runs in the page, from its start. Text, as compiled functions would refer to helpers of their compiler. */
const observer = `
  window.longestTaskMs = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longestTaskMs = Math.max(window.longestTaskMs, duration);
  }).observe({ type: "longtask" });
`;

async function openPage(app: RunningApp, browser: Browser, kit: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await preferInputs(context);
  const page = await context.newPage();
  page.setDefaultTimeout(600_000);
  page.on("filechooser", () => undefined);
  await page.addInitScript({ content: observer });
  await page.addInitScript({ content: kit });
  await page.goto(app.url);
  await page.getByRole("button", { name: /Alice/ }).click();
  await page.getByRole("heading", { name: "Files", exact: true }).waitFor();
  return page;
}

/** Drops a folder on the app; returns how long that takes, and the longest task of the page meanwhile. */
async function dropFolder(app: RunningApp, browser: Browser, kit: string, folder: string) {
  const page = await openPage(app, browser, kit);
  try {
    const mouse = await page.context().newCDPSession(page);
    const { x = 0, y = 0 } = (await page.locator(".drop-zone").boundingBox()) ?? {};
    const point = { x: x + 40, y: y + 40, data: { items: [], files: [folder], dragOperationsMask: 1 } };
    for (const type of ["dragEnter", "dragOver"] as const)
      await mouse.send("Input.dispatchDragEvent", { type, ...point });
    await page.evaluate(() => Object.assign(window, { longestTaskMs: 0 }));
    let sent = 0;
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().includes("/api/v0/add")) sent++;
    });
    const startedAt = performance.now();
    await mouse.send("Input.dispatchDragEvent", { type: "drop", ...point });
    await page.getByText("1 upload complete").first().waitFor();
    const seconds = (performance.now() - startedAt) / 1000;
    const longestTaskMs = await page.evaluate(() => (window as unknown as { longestTaskMs: number }).longestTaskMs);
    return { seconds, longestTaskMs, sent };
  } finally {
    await page.context().close();
  }
}

/** The kit's own time for as many files, in a page of the app that does nothing else. */
async function runKit(
  app: RunningApp,
  browser: Browser,
  kit: string,
): Promise<{ seconds: number; longestTaskMs: number }> {
  const { endpoints, accounts } = app.devnet;
  const privateKey = accounts[0]?.privateKey ?? "";
  const apiKey = await createApiKey({ signer: new Wallet(privateKey), endpoints });
  const page = await openPage(app, browser, kit);
  try {
    await page.evaluate(() => Object.assign(window, { longestTaskMs: 0 }));
    const seconds = await page.evaluate(
      ([account, files]) =>
        (globalThis as unknown as { folderUpload: typeof FolderUpload }).folderUpload.measureUpload(account, files),
      [{ endpoints, apiKey, privateKey }, count] as const,
    );
    const longestTaskMs = await page.evaluate(() => (window as unknown as { longestTaskMs: number }).longestTaskMs);
    return { seconds, longestTaskMs };
  } finally {
    await page.context().close();
  }
}

const executablePath = await findChromium();
if (!executablePath) throw new Error(chromiumHint());
const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL("./folder-upload.ts", import.meta.url))],
  bundle: true,
  write: false,
  format: "iife",
  globalName: "folderUpload",
  footer: { js: "globalThis.folderUpload = folderUpload;" },
  conditions: ["keeplight-source", "browser"],
  logLevel: "error",
});
const kit = outputFiles[0]?.text ?? "";
const disk = await mkdtemp(join(tmpdir(), "keeplight-folders-"));
const folder = join(disk, "Photos");
await mkdir(folder);
for (let at = 0; at < count; at++) await writeFile(join(folder, `file ${at}.txt`), `content of ${at}`);
const app = await startApp({ chain: false });
const browser = await chromium.launch({ executablePath, args: chromiumArgs });
try {
  const ratios: number[] = [];
  let longest = 0;
  let extra = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const own = await runKit(app, browser, kit);
    const { seconds, longestTaskMs, sent } = await dropFolder(app, browser, kit, folder);
    console.log(
      `web app: ${count} files as a folder ${seconds.toFixed(2)} s (${sent} uploads, ` +
        `longest task ${longestTaskMs.toFixed(0)} ms); the kit alone ${own.seconds.toFixed(2)} s (longest task ${own.longestTaskMs.toFixed(0)} ms)`,
    );
    ratios.push(seconds / own.seconds);
    longest = Math.max(longest, longestTaskMs - own.longestTaskMs);
    extra = Math.max(extra, sent);
  }
  judge("web app: uploads sent for a folder, with its manifest", extra, 2, "at most");
  judge("web app: time of an encrypted folder / the kit's own", median(ratios.sort((a, b) => a - b)), 1.2, "at most");
  judge("web app: longest task of an encrypted folder beyond the kit's own, ms", longest, 100, "at most");
} finally {
  await browser.close();
  await app.close();
  await rm(disk, { recursive: true, force: true });
}
