import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { encryptBytes, openJournal } from "../../src/index.ts";
import { startGateway } from "../blocks/stand-in.ts";
import { makeBytes, storeFile } from "../blocks/trees.ts";
import { bundleDownload, type DownloadJob, forkDownload, runDownload } from "./kill-downloads.ts";

/** How many processes are killed; a thousand in the full run. */
const KILLS = Number(process.env["KEEPLIGHT_KILLS"] ?? 16);
const AT_ONCE = 2;
const FILE_BYTES = 24_000_011;
const PIECE_BYTES = 64 * 1024;

const key = "5f".repeat(32);
const content = makeBytes(FILE_BYTES);

let folder: string;
let script: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "keeplight-kill-downloads-"));
  script = await bundleDownload(folder);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Sends a file in pieces, so that a random moment is one between them. */
function sendSlowly(bytes: Uint8Array, response: ServerResponse): boolean {
  response.writeHead(200, { "Content-Length": bytes.length });
  const send = async () => {
    for (let at = 0; at < bytes.length && !response.destroyed; at += PIECE_BYTES) {
      response.write(bytes.subarray(at, at + PIECE_BYTES));
      await sleep(2);
    }
    response.end();
  };
  void send();
  return true;
}

test(`${KILLS} downloads that are killed at random moments are continued by another process`, async () => {
  const encrypted = await encryptBytes(content, key);
  const stored = { download: content, decrypt: encrypted };
  const trees = { download: await storeFile(content), decrypt: await storeFile(encrypted) };
  const counts = { killed: 0, continued: 0, savedBytes: 0 };
  let done = 0;

  async function killOne(at: number, killAfterMs: number): Promise<number> {
    const kind = at % 2 === 0 ? "download" : "decrypt";
    const { cid, blocks } = trees[kind];
    const gateway = await startGateway(blocks, {
      ways: ["raw", "range", "whole"],
      intercept: ({ method }, response) => method === "POST" && sendSlowly(stored[kind], response),
    });
    const place = join(folder, `${at}`);
    await mkdir(join(place, "saved"), { recursive: true });
    const to = join(place, "saved", "file");
    const endpoints = { gateway: gateway.url };
    const job: DownloadJob = { kind, cid, key, journal: join(place, "journal"), to, endpoints };
    let startedAt = performance.now();
    const moment = async (started: Promise<void>) => {
      await started;
      startedAt = performance.now();
      await sleep(Math.min(killAfterMs, 2 ** 31 - 1));
    };
    const end = await runDownload(forkDownload(script), job, moment);
    const ranMs = performance.now() - startedAt;
    // The target is there as a whole, or not at all.
    const saved = await readFile(to).catch(() => undefined);
    if (saved) expect(Buffer.compare(saved, content)).toBe(0);
    const journal = await openJournal({ folder: job.journal });
    for (const { id, bytesDone = 0 } of await journal.list()) {
      counts.continued++;
      counts.savedBytes += bytesDone;
      expect(await journal.resume(id)).toMatchObject({ id, kind, result: { size: FILE_BYTES } });
    }
    if (!end) counts.killed++;
    if (end || saved || (await readFile(to).catch(() => undefined))) {
      expect(Buffer.compare(await readFile(to), content)).toBe(0);
    }
    // What a killed process has left of plaintext goes with the next call that saves to the folder.
    const left = (await readdir(join(place, "saved"))).filter((name) => name !== "file");
    expect(left).toEqual([]);
    expect(await journal.list()).toEqual([]);
    await gateway.close();
    await rm(place, { recursive: true });
    return ranMs;
  }

  const longest = [await killOne(-2, Number.POSITIVE_INFINITY), await killOne(-1, Number.POSITIVE_INFINITY)];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (done < KILLS) {
        const at = done++;
        await killOne(at, Math.random() * (longest[at % 2] ?? 0));
      }
    }),
  );
  console.log(
    `${KILLS} downloads: ${counts.killed} killed, ${counts.continued} continued with ${counts.savedBytes} bytes`,
  );
  expect(counts.continued).toBeGreaterThan(0);
}, 7_200_000);
