// Measures the web app in Chromium: what its first load takes on a slow phone, and its list of 10,000 files.
// `npx tsx --conditions=keeplight-source bench/web-app.ts [files]`.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { Wallet } from "ethers";
import { type Browser, chromium, type Page } from "playwright-core";
import { type RunningApp, startApp } from "../apps/web/test/app.ts";
import { createApiKey, upload } from "../src/index.ts";
import { chromiumArgs, chromiumHint, findChromium } from "../test/support/chromium.mjs";
import { judge, median } from "./judge.ts";

const KB = 1000;
/** Files of an upload. */
const BATCH = 500;
const count = Number(process.argv[2] ?? 10_000);
/** Slow 4G as browsers' tools emulate it: bytes per second, and milliseconds per round trip. */
const slow4g = { offline: false, downloadThroughput: 200_000, uploadThroughput: 93_750, latency: 150 };

/** What a page's observers found. */
interface Observed {
  largestPaintMs: number;
  layoutShift: number;
  longestTaskMs: number;
}

/** A response of a host. */
interface Served {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** Serves the app as hosts do: compressed, once for all visits. Counts what is sent, in bytes. */
async function serveCompressed(app: RunningApp) {
  const sent = new Map<string, number>();
  const compressed = new Map<string, Promise<Served>>();
  const compress = async (path: string): Promise<Served> => {
    const response = await fetch(new URL(path, app.url));
    const type = response.headers.get("content-type") ?? "";
    const body = Buffer.from(await response.arrayBuffer());
    const isText = /text|javascript|json|svg|manifest/.test(type);
    const policy = response.headers.get("content-security-policy") ?? "";
    const headers = { "Content-Type": type, "Content-Security-Policy": policy };
    if (!isText) return { status: response.status, headers, body };
    const encoded = gzipSync(body, { level: 9 });
    return { status: response.status, headers: { ...headers, "Content-Encoding": "gzip" }, body: encoded };
  };
  const server = createServer(async (request, response) => {
    const path = request.url ?? "/";
    const serving = compressed.get(path) ?? compress(path);
    compressed.set(path, serving);
    const { status, headers, body } = await serving;
    sent.set(path, body.length);
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, sent, close: () => new Promise((resolve) => server.close(resolve)) };
}

/** Runs in the page, from its start. Text, as compiled functions would refer to helpers of their compiler. */
const observers = `
  window.found = { largestPaintMs: 0, layoutShift: 0, longestTaskMs: 0 };
  const watch = (type, add) =>
    new PerformanceObserver((list) => list.getEntries().forEach(add)).observe({ type, buffered: true });
  watch("largest-contentful-paint", ({ startTime }) => { found.largestPaintMs = startTime; });
  watch("layout-shift", ({ value }) => { found.layoutShift += value; });
  watch("longtask", ({ duration }) => { found.longestTaskMs = Math.max(found.longestTaskMs, duration); });
`;

/** Runs in the page before a key is pressed: `painted` resolves to the milliseconds from the key to the next frame. */
const watchKey = `void (window.painted = new Promise((resolve) => {
  const onKey = ({ timeStamp }) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - timeStamp)));
  addEventListener("keydown", onKey, { once: true, capture: true });
}))`;

/** Runs in the page: the paths of what it has requested before it was loaded. */
const listFirstLoad = `(() => {
  const [{ name, loadEventStart }] = performance.getEntriesByType("navigation");
  const early = performance.getEntriesByType("resource").filter(({ startTime }) => startTime < loadEventStart);
  return [name, ...early.map((entry) => entry.name)].map((url) => new URL(url).pathname);
})()`;

const read = (page: Page) => page.evaluate(() => (window as unknown as { found: Observed }).found);

/** Visits the app once, so that its host has compressed it. */
async function visit(url: string, browser: Browser): Promise<void> {
  const context = await browser.newContext({ serviceWorkers: "block" });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole("button", { name: /Alice/ }).waitFor();
  await page.waitForLoadState("networkidle");
  await context.close();
}

async function measureFirstLoad(app: RunningApp, browser: Browser): Promise<void> {
  const served = await serveCompressed(app);
  await visit(served.url, browser);
  served.sent.clear();
  const context = await browser.newContext({ viewport: { width: 375, height: 812 } });
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send("Network.emulateNetworkConditions", slow4g);
    await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
    await page.addInitScript(observers);
    // What the Service Worker keeps for later comes after the first load.
    await page.addInitScript(() => Object.defineProperty(navigator, "serviceWorker", { value: undefined }));
    await page.goto(served.url);
    await page.getByRole("button", { name: /Alice/ }).waitFor();
    await page.waitForLoadState("networkidle");
    // What the app loads ahead, from the event `load` on, is not part of that.
    const paths = await page.evaluate<string[]>(listFirstLoad);
    const first = [...served.sent].filter(([path]) => paths.includes(path));
    const isText = ([path]: [path: string, bytes: number]) => !/\.(woff2|png|svg|webmanifest)$/.test(path);
    const sum = (sizes: [path: string, bytes: number][]) => sizes.reduce((total, [, size]) => total + size, 0) / KB;
    judge("web app: first load without fonts, kB", sum(first.filter(isText)), 140, "at most");
    judge(
      "web app: fonts of the first load, kB",
      sum(first.filter(([path]) => path.endsWith(".woff2"))),
      40,
      "at most",
    );
    console.log(`web app: with what is loaded ahead, kB: ${sum([...served.sent].filter(isText)).toFixed(0)}`);
    const { largestPaintMs, layoutShift } = await read(page);
    judge("web app: largest paint on slow 4G, CPU ÷ 4, seconds", largestPaintMs / 1000, 2, "at most");
    judge("web app: layout shift", layoutShift, 0, "at most");
  } finally {
    await context.close();
    await served.close();
  }
}

/** Fills Alice's account. */
async function addFiles({ devnet: { endpoints, accounts } }: RunningApp): Promise<void> {
  const apiKey = await createApiKey({ signer: new Wallet(accounts[0]?.privateKey ?? ""), endpoints });
  // The network lists each file of an upload.
  for (let at = 0; at < count; at += BATCH) {
    const names = Array.from({ length: Math.min(BATCH, count - at) }, (_, next) => `file ${at + next}.txt`);
    await upload(
      names.map((name) => new File([name], name)),
      { apiKey, endpoints },
    );
  }
}

async function measureList(app: RunningApp, browser: Browser): Promise<void> {
  await addFiles(app);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    await page.addInitScript(observers);
    let listedAt = 0;
    page.on("requestfinished", (request) => {
      if (listedAt === 0 && request.url().includes("files_uploaded")) listedAt = performance.now();
    });
    await page.goto(app.url);
    await page.getByRole("button", { name: /Alice/ }).click();
    await page.locator("tbody tr[aria-rowindex]").first().waitFor();
    judge("web app: first rows after the first page, seconds", (performance.now() - listedAt) / 1000, 0.5, "at most");
    await page.getByText(`${count.toLocaleString("en-US")} files`).waitFor();
    const { longestTaskMs } = await read(page);
    judge(`web app: longest task while ${count} files are listed, ms`, longestTaskMs, 100, "at most");

    await page.evaluate(() => {
      (window as unknown as { found: Observed }).found.longestTaskMs = 0;
    });
    await page.getByLabel("Search your files").focus();
    const times: number[] = [];
    for (const key of ["f", "i", "l", "e", " ", "7", "1", ...Array<string>(7).fill("Backspace")]) {
      await page.evaluate(watchKey);
      await page.keyboard.press(key);
      times.push(await page.evaluate<number>("window.painted"));
    }
    judge("web app: keystroke until it is painted, ms (median)", median(times.sort((a, b) => a - b)), 50, "at most");
    judge("web app: keystroke until it is painted, ms (slowest)", times.at(-1) ?? 0, 50, "at most");
    judge("web app: longest task while searching, ms", (await read(page)).longestTaskMs, 100, "at most");
  } finally {
    await context.close();
  }
}

const executablePath = await findChromium();
if (!executablePath) throw new Error(chromiumHint());
const app = await startApp({ chain: false });
const browser = await chromium.launch({ executablePath, args: chromiumArgs });
try {
  await measureFirstLoad(app, browser);
  if (count > 0) await measureList(app, browser);
} finally {
  await browser.close();
  await app.close();
}
