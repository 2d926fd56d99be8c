// Measures the web app in Chromium: the longest task of its main thread, the processor's time, and the speed of encryption.
// `npm run bench` runs it, too; alone:
// `npx tsx --conditions=keeplight-source bench/page.ts [bytes] [http1 | http2 | cipher]`.
import { rm } from "node:fs/promises";
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
import { findNginx, type Nginx, nginxHint, startNginx } from "./nginx.ts";

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const bytes = Number(process.argv[2] ?? GIB);
const only = process.argv[3];

function print(operation: string, { seconds, peakHeapMiB, longestTaskMs }: Measurement): void {
  const task = `longest task ${longestTaskMs.toFixed(0)} ms`;
  console.log(`${operation} of ${bytes / MIB} MiB: ${seconds.toFixed(2)} s, heap ${peakHeapMiB} MiB, ${task}`);
}

/** Measures uploads to a network that speaks HTTP/1.1, where a page encrypts first. */
async function measureHttp1(executablePath: string): Promise<void> {
  const large = await openLargePage(executablePath);
  try {
    const path = await large.makeFile("film.mkv", bytes);
    const plain = await large.upload(path, "Public");
    print("page: plain upload", plain);
    const encrypted = await large.upload(path, "Encrypted");
    print("page: encrypted upload", encrypted);
    judge("page: longest task of an encrypted upload, ms", encrypted.longestTaskMs, 50, "at most");
    judge("page: plain upload's time / encrypted upload's", plain.seconds / encrypted.seconds, 0.4, "at least");
  } finally {
    await large.close();
  }
}

/**
 * Measures uploads to nginx, which speaks HTTP/2. A first encrypted upload hashes for every way in which a host may split
 * files, a second one only for the way that the host has shown.
 */
async function measureHttp2(executablePath: string, nginxPath: string): Promise<void> {
  let nginx: Nginx | undefined;
  const startFront = async (uploadHost: string) => {
    nginx = await startNginx(nginxPath, uploadHost);
    return nginx;
  };
  const large = await openLargePage(executablePath, startFront);
  try {
    const measureUpload = async (label: string, privacy: "Encrypted" | "Public") => {
      // The app asks before it replaces a file.
      const path = await large.makeFile(`${label}.mkv`, bytes);
      const measured = await large.upload(path, privacy);
      print(`page, HTTP/2: ${label}`, measured);
      const cpu = { page: (measured.cpu.page * GIB) / bytes, browser: (measured.cpu.browser * GIB) / bytes };
      const received = `received within ${(await nginx?.readReceivingSeconds())?.toFixed(2)} s`;
      const figures = `page ${cpu.page.toFixed(2)}, whole browser ${cpu.browser.toFixed(2)}`;
      console.log(`  ${received}; CPU seconds per GiB: ${figures}`);
      await rm(path);
      return { ...measured, cpu };
    };
    for (const order of ["first", "second"]) {
      const plain = await measureUpload(`${order} plain upload`, "Public");
      const encrypted = await measureUpload(`${order} encrypted upload`, "Encrypted");
      const label = `page, HTTP/2: ${order} encrypted upload`;
      const more = encrypted.cpu.browser - plain.cpu.browser;
      judge(`${label}: browser's CPU seconds per GiB beyond a plain one's`, more, 3, "at most");
      judge(`${label}: longest task, ms`, encrypted.longestTaskMs, 50, "at most");
      judge(`${label}: heap, MiB`, encrypted.peakHeapMiB, 16, "at most");
      judge(`${label}: kept by the browser, MiB`, encrypted.keptBytes / MIB, 1, "at most");
    }
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
  if (!only || only === "http1") await measureHttp1(executablePath);
  const nginxPath = findNginx();
  if (!nginxPath) console.log(`The page was not measured over HTTP/2. ${nginxHint}`);
  else if (!only || only === "http2") await measureHttp2(executablePath, nginxPath);
  if (!only || only === "cipher") await measureEncryption(executablePath);
} else {
  console.log(`The page was not measured. ${chromiumHint()}`);
}
