// Measures what a page cannot do without when it sends what it encrypts, in processor seconds of the whole browser per GiB, over
// HTTP/2 to nginx: a file as it is, the same bytes read and sent as a stream, or collected in a Blob first, and with a hash and a
// cipher in between; each on the page's own thread and in a Worker. `npx tsx --conditions=keeplight-source bench/page-limits.ts [bytes]`.
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { readCpuSeconds, writeRandomFile } from "../apps/web/test/large-page.ts";
import { chromiumArgs, chromiumHint, findChromium } from "../test/support/chromium.mjs";
import { findNginx, nginxHint, startNginx } from "./nginx.ts";

const GIB = 1024 ** 3;
const bytes = Number(process.argv[2] ?? GIB);

/** What is done to each block of a body. */
interface Job {
  /** The file, which the browser reads itself; its blocks as a stream; or a Blob of them, sent once it is complete. */
  body: "file" | "stream" | "blob";
  hashes: boolean;
  encrypts: boolean;
}

const jobs: readonly [string, Job][] = [
  ["a file as it is", { body: "file", hashes: false, encrypts: false }],
  ["read and sent as a stream", { body: "stream", hashes: false, encrypts: false }],
  ["… with SHA-256", { body: "stream", hashes: true, encrypts: false }],
  ["… with AES-256-GCM", { body: "stream", hashes: false, encrypts: true }],
  ["… with both", { body: "stream", hashes: true, encrypts: true }],
  ["collected in a Blob first", { body: "blob", hashes: false, encrypts: false }],
];

/** Runs in the page or in a Worker, so it uses nothing of this file. Reads blocks of 512 KiB, as the SDK does. */
async function send(file: File, { body, hashes, encrypts }: Job): Promise<void> {
  const block = 512 * 1024;
  const iv = new Uint8Array(16);
  const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt"]);
  let at = 0;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        if (at >= file.size) return controller.close();
        const read = await file.slice(at, at + block).arrayBuffer();
        at += read.byteLength;
        const sent = encrypts ? await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, read) : read;
        if (encrypts) (read as ArrayBuffer & { transfer(length: number): ArrayBuffer }).transfer(0);
        if (hashes) await crypto.subtle.digest("SHA-256", sent);
        controller.enqueue(new Uint8Array(sent));
      },
    },
    { highWaterMark: 0 },
  );
  const parts: Blob[] = [];
  if (body === "blob") {
    const reader = stream.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) parts.push(new Blob([next.value]));
  }
  const init = { body: body === "stream" ? stream : body === "file" ? file : new Blob(parts), duplex: "half" };
  const response = await fetch("/sink", { method: "POST", ...init });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
}

/** Runs {@link send} for the page's file. */
async function run(page: Page, job: Job, isWorker: boolean): Promise<void> {
  await page.evaluate(
    async ([code, settings, inWorker]) => {
      const file = document.querySelector("input")?.files?.[0];
      if (!file) throw new Error("no file");
      if (!inWorker) return new Function("file", "job", `return (${code})(file, job)`)(file, settings);
      const worker = new Worker("/worker.js");
      await new Promise<void>((resolve, reject) => {
        worker.onmessage = ({ data }) => (data === "" ? resolve() : reject(new Error(data)));
        worker.onerror = ({ message }) => reject(new Error(message));
        worker.postMessage({ file, job: settings });
      });
      worker.terminate();
    },
    [`${send}`, job, isWorker] as const,
  );
}

const executablePath = await findChromium();
const nginxPath = findNginx();
if (!executablePath) console.log(chromiumHint());
else if (!nginxPath) console.log(nginxHint);
else {
  const folder = await mkdtemp(join(tmpdir(), "keeplight-limits-"));
  const worker = `onmessage = ({ data: { file, job } }) =>
    (${send})(file, job).then(() => postMessage(""), (error) => postMessage(String(error)));`;
  const sink = createServer((request, response) => {
    request.resume().on("end", () => {
      const isScript = request.url === "/worker.js";
      response.setHeader("Content-Type", isScript ? "text/javascript" : "text/html");
      response.end(isScript ? worker : "<input type=file>");
    });
  }).listen(0, "127.0.0.1");
  await once(sink, "listening");
  const nginx = await startNginx(nginxPath, `http://127.0.0.1:${(sink.address() as AddressInfo).port}`);
  const context = await chromium.launchPersistentContext(join(folder, "profile"), {
    executablePath,
    args: [...chromiumArgs, "--ignore-certificate-errors"],
  });
  try {
    const page = await context.newPage();
    await page.goto(nginx.url);
    const path = join(folder, "file.bin");
    await writeRandomFile(path, bytes);
    await page.locator("input").setInputFiles(path);
    let plain = 0;
    for (const [label, job] of jobs) {
      for (const isWorker of job.body === "file" ? [false] : [false, true]) {
        const before = await readCpuSeconds(context);
        const started = performance.now();
        await run(page, job, isWorker);
        const seconds = (performance.now() - started) / 1000;
        const after = await readCpuSeconds(context);
        const cpu = ((after.browser - before.browser) * GIB) / bytes;
        if (job.body === "file") plain = cpu;
        const more = job.body === "file" ? "" : `, ${(cpu - plain).toFixed(2)} beyond a file as it is`;
        console.log(
          `${label}${isWorker ? ", in a Worker" : ""}: ${seconds.toFixed(2)} s, ${cpu.toFixed(2)} s of processor${more}`,
        );
      }
    }
  } finally {
    await context.close();
    await nginx.close();
    sink.close();
    sink.closeAllConnections();
    await rm(folder, { recursive: true, force: true });
  }
}
