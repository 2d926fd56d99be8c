import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { decrypt } from "keeplight";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPageRig, type PageRig } from "./page-rig.ts";

const MIB = 1024 ** 2;
/** Larger than what a page may need. */
const SIZE = Number(process.env["LARGE_MIB"] ?? 640) * MIB;
const MINUTES = 900_000;

/** Writes a file in which no two blocks are the same; returns its path. */
async function makeFile(path: string, size: number): Promise<string> {
  const file = await open(path, "w");
  const block = randomBytes(8 * MIB);
  for (let written = 0; written < size; written += block.length) {
    block.writeBigUInt64LE(BigInt(written), 0);
    await file.write(block, 0, Math.min(block.length, size - written));
  }
  await file.close();
  return path;
}

async function hash(path: string): Promise<string> {
  const digest = createHash("sha256");
  for await (const chunk of createReadStream(path)) digest.update(chunk as Buffer);
  return digest.digest("hex");
}

/** Returns the memory of the processes of pages that no file backs, in MiB: with the buffers that the heap does not count. */
async function readMemory(context: BrowserContext): Promise<number> {
  const session = await context.browser()?.newBrowserCDPSession();
  const { processInfo = [] } = (await session?.send("SystemInfo.getProcessInfo")) ?? {};
  await session?.detach();
  const pages = processInfo.filter(({ type }) => type === "renderer");
  const sizes = await Promise.all(
    pages.map(async ({ id }) => {
      const status = await readFile(`/proc/${id}/status`, "utf8").catch(() => "");
      return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
    }),
  );
  return Math.round(Math.max(0, ...sizes));
}

/** Runs `work`; returns the most memory that a page had meanwhile. */
async function watchMemory(rig: PageRig, work: () => Promise<unknown>): Promise<number> {
  let [peak, isOver] = [0, false];
  const watching = (async () => {
    while (!isOver) {
      peak = Math.max(peak, await readMemory(rig.context()).catch(() => 0));
      await sleep(250);
    }
  })();
  try {
    await work();
  } finally {
    isOver = true;
    await watching;
  }
  return peak;
}

describe.skipIf(process.platform !== "linux")("a large file", () => {
  let rig: PageRig;

  beforeAll(async () => {
    rig = await openPageRig({ keepBodies: false, chunkBytes: 8 * MIB });
  }, MINUTES);

  afterAll(() => rig?.close());

  test(
    "is uploaded in constant memory, although the page is killed in the middle",
    async () => {
      const path = await makeFile(join(rig.folder, "film.mkv"), SIZE);
      const pick = () => rig.page().setInputFiles("input", path);
      const countSent = () => rig.server.listRequests().reduce((sum, { bytes }) => sum + bytes, 0);
      await pick();
      const before = await readMemory(rig.context());
      const first = await watchMemory(rig, async () => {
        const uploading = rig.runIn(rig.page(), "uploadPicked", rig.setup).catch(() => undefined);
        while (countSent() < SIZE / 2) await sleep(100);
        await rig.killAndStart();
        await uploading;
      });
      await pick();
      let cid = "";
      const started = performance.now();
      const second = await watchMemory(rig, async () => {
        cid = await rig.runIn(rig.page(), "uploadPicked", rig.setup);
      });
      const seconds = Math.round((performance.now() - started) / 1000);
      console.log(
        `${SIZE / MIB} MiB: ${before} MiB before, at most ${first} MiB, then ${second} MiB once it continued (${seconds} s), ` +
          `${Math.round(countSent() / MIB)} MiB arrived`,
      );
      const to = join(rig.folder, "decrypted.mkv");
      await decrypt(cid, { signer: rig.signer, endpoints: rig.setup.endpoints, to, pauseMs: 0 });
      expect(await hash(to)).toBe(await hash(path));
      // At most what was on its way is sent twice.
      expect(countSent()).toBeLessThan(SIZE + 16 * MIB);
      // Browsers take their time to free buffers; a page that held the file would need more.
      expect(Math.max(first, second) - before).toBeLessThan(512);
    },
    MINUTES,
  );
});
