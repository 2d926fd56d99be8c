// Measures the web app in Chromium: the longest task of its main thread, and the speed of encryption.
// `npm run bench` runs it last; alone: `npx tsx --conditions=keeplight-source bench/page.ts [bytes] [http1 | http2 | cipher]`.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import type { Measurement } from "../apps/web/test/heap.ts";
import { openLargePage } from "../apps/web/test/large-page.ts";
import { chromiumArgs, chromiumHint, findChromium } from "../test/support/chromium.mjs";
import type * as EncryptionSpeed from "./encryption-speed.ts";
import { judge } from "./judge.ts";

const MIB = 1024 * 1024;
const bytes = Number(process.argv[2] ?? 1024 * MIB);
const only = process.argv[3];

function print(operation: string, { seconds, peakHeapMiB, longestTaskMs }: Measurement): void {
  const task = `longest task ${longestTaskMs.toFixed(0)} ms`;
  console.log(`${operation} of ${bytes / MIB} MiB: ${seconds.toFixed(2)} s, heap ${peakHeapMiB} MiB, ${task}`);
}

/** Measures uploads to a network that speaks HTTP/1.1, where a page encrypts first, or HTTP/2. */
async function measureApp(executablePath: string, tls: boolean): Promise<void> {
  const where = tls ? "page, HTTP/2" : "page";
  const large = await openLargePage(executablePath, { tls });
  try {
    const path = await large.makeFile("film.mkv", bytes);
    const plain = await large.upload(path, "Public");
    print(`${where}: plain upload`, plain);
    const encrypted = await large.upload(path, "Encrypted");
    print(`${where}: encrypted upload`, encrypted);
    const ratio = plain.seconds / encrypted.seconds;
    judge(`${where}: longest task of an encrypted upload, ms`, encrypted.longestTaskMs, 50, "at most");
    judge(`${where}: plain upload's time / encrypted upload's`, ratio, tls ? 0.85 : 0.4, "at least");
    if (!tls) return;
    judge(`${where}: heap of an encrypted upload, MiB`, encrypted.peakHeapMiB, 60, "at most");
    judge(`${where}: kept by the browser, MiB`, encrypted.keptBytes / MIB, 1, "at most");
  } finally {
    await large.close();
  }
}

/** Compares, in a page, this package's encryption in chunks with WebCrypto on the whole input. */
async function measureEncryption(executablePath: string): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("./encryption-speed.ts", import.meta.url))],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "encryptionSpeed",
    footer: { js: "globalThis.encryptionSpeed = encryptionSpeed;" },
    conditions: ["keeplight-source"],
  });
  // WebCrypto is available in secure contexts only; loopback is one.
  const server = createServer((_, response) => response.setHeader("Content-Type", "text/html").end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const browser = await chromium.launch({ executablePath, args: chromiumArgs });
  try {
    const page = await browser.newPage();
    await page.addInitScript({ content: outputFiles[0]?.text ?? "" });
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const { inChunks, whole } = await page.evaluate(() =>
      (globalThis as unknown as { encryptionSpeed: typeof EncryptionSpeed }).encryptionSpeed.measureEncryption(),
    );
    judge("page: AES-256-GCM in chunks / WebCrypto as a whole, MiB/s", inChunks / whole, 1, "at least");
  } finally {
    await browser.close();
    server.close();
  }
}

const executablePath = await findChromium();
if (executablePath) {
  if (!only || only === "http1") await measureApp(executablePath, false);
  if (!only || only === "http2") await measureApp(executablePath, true);
  if (!only || only === "cipher") await measureEncryption(executablePath);
} else {
  console.log(`The page was not measured. ${chromiumHint()}`);
}
