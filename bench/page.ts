// Measures the web app in Chromium: how long its main thread is busy at a time, and how fast it encrypts.
// `npm run bench` runs it last; alone: `npx tsx --conditions=keeplight-source bench/page.ts [bytes]`.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { chromiumArgs, chromiumHint, findChromium } from "../test/support/chromium.mjs";
import type { Measured } from "../test/web/heap.ts";
import { openLargePage } from "../test/web/large-page.ts";
import type * as Pace from "./encryption-pace.ts";

const MIB = 1024 * 1024;
const bytes = Number(process.argv[2] ?? 1024 * MIB);

/** Prints a figure beside its goal. */
function judge(says: string, measured: number, goal: number, relation: "at most" | "at least"): void {
  const met = relation === "at most" ? measured <= goal : measured >= goal;
  console.log(
    `${(met ? "met" : "MISSED").padEnd(12)}${says}: ${measured.toFixed(goal < 10 ? 2 : 0)}, ${relation} ${goal}`,
  );
}

function print(what: string, { seconds, peakHeapMiB, longestTaskMs }: Measured): void {
  const task = `longest task ${longestTaskMs.toFixed(0)} ms`;
  console.log(`${what} of ${bytes / MIB} MiB: ${seconds.toFixed(2)} s, heap ${peakHeapMiB} MiB, ${task}`);
}

async function measureApp(executablePath: string): Promise<void> {
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

/** MiB per second in a page, encrypting by this package in chunks, and by WebCrypto as a whole. */
async function measureEncryption(executablePath: string): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("./encryption-pace.ts", import.meta.url))],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "pace",
    footer: { js: "globalThis.pace = pace;" },
    conditions: ["keeplight-source"],
  });
  // WebCrypto is only in pages of secure contexts, which loopback is.
  const server = createServer((_, response) => response.setHeader("Content-Type", "text/html").end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const browser = await chromium.launch({ executablePath, args: chromiumArgs });
  try {
    const page = await browser.newPage();
    await page.addInitScript({ content: outputFiles[0]?.text ?? "" });
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const { inChunks, asWhole } = await page.evaluate(() =>
      (globalThis as unknown as { pace: typeof Pace }).pace.encryptionPace(),
    );
    judge("page: AES-256-GCM in chunks / WebCrypto as a whole, MiB/s", inChunks / asWhole, 1, "at least");
  } finally {
    await browser.close();
    server.close();
  }
}

const executablePath = await findChromium();
if (executablePath) {
  await measureApp(executablePath);
  await measureEncryption(executablePath);
} else {
  console.log(`The page is not measured. ${chromiumHint()}`);
}
