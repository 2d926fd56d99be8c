import { type ChildProcess, fork } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { request as startHttp } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { iterateFiles } from "../../../src/index.ts";
import { account, getApiKey } from "../../../test/support/devnet-wire.ts";
import { nextMessage } from "../../../test/support/next-message.ts";
import { startDevnet } from "../../devnet/src/index.ts";
import { create, getResult, tus } from "./tus-client.ts";

// One large file, whose connection is cut, and whose server is killed with -9, again and again:
//   MIB=1024 KILLS=50 SEED=7 npx vitest run --config vitest.full.config.ts packages/server/test/resumable-kill

const MIB = 1024 * 1024;
const SIZE = Number(process.env["MIB"] ?? 96) * MIB;
const KILLS = Number(process.env["KILLS"] ?? 8);
const SEED = Number(process.env["SEED"] ?? randomBytes(4).readUInt32BE());
const MAX_RSS_MIB = 250;
const script = fileURLToPath(new URL("resumable-server.mjs", import.meta.url));

/** The same block everywhere but for its number, so that every place of the file is unlike any other. */
const block = randomBytes(MIB);
function bytesFrom(offset: number, length: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const place = offset + at;
    const own = Buffer.from(block);
    own.writeUInt32BE(Math.floor(place / MIB));
    const taken = own.copy(bytes, at, place % MIB);
    at += taken;
  }
  return bytes;
}

/** Random numbers from 0 to 1 that a seed repeats (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

test("a file whose connections are cut, and whose server is killed, is stored whole and once", {
  timeout: 3_600_000,
}, async () => {
  console.log(`SEED=${SEED}`);
  const random = createRandom(SEED);
  const devnet = await startDevnet({ dataLimit: 2 ** 40 });
  onTestFinished(() => devnet.close());
  const apiKey = await getApiKey(devnet, account(devnet, 0));
  const folder = await mkdtemp(join(tmpdir(), "keeplight-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 }));
  let child: ChildProcess | undefined;
  let port = 0;
  let peak = 0;

  async function startServer(): Promise<void> {
    child = fork(script, [apiKey, JSON.stringify(devnet.endpoints), folder, String(port)], { execArgv: [] });
    port = await nextMessage<number>(child);
  }

  async function killServer(): Promise<void> {
    if (!child) return;
    child.send("peak");
    peak = Math.max(peak, await nextMessage<number>(child));
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }
  onTestFinished(() => void child?.kill("SIGKILL"));

  await startServer();
  const metadata = { filename: "film.bin", filetype: "application/octet-stream" };
  const { at } = await create(`http://127.0.0.1:${port}/api/uploads`, SIZE, metadata);
  let sent = 0;
  let kills = 0;
  let cuts = 0;
  for (;;) {
    const head = await tus("HEAD", at).catch(() => undefined);
    if (!head) {
      await startServer();
      continue;
    }
    const offset = Number(head.headers.get("upload-offset"));
    expect(head.status).toBe(200);
    expect(offset).toBeLessThanOrEqual(sent);
    if (offset === SIZE) break;
    const isLast = kills + cuts >= KILLS;
    const length = isLast ? SIZE - offset : Math.ceil(random() * Math.min(SIZE - offset, (3 * SIZE) / KILLS));
    const isKill = random() < 0.5;
    const stopAt = isLast ? Number.POSITIVE_INFINITY : offset + length * random();
    sent = Math.max(sent, await send(at, offset, length, stopAt, isKill && !isLast ? killServer : undefined));
    if (isLast) continue;
    if (isKill) kills++;
    else cuts++;
  }
  // Complete, and killed while it is being stored.
  for (let time = 0; time < 3; time++) {
    await pause(random() * 1_000);
    await killServer();
    await startServer();
  }
  const { status, body } = await getResult(at);
  expect(status).toBe(200);
  const listed: string[] = [];
  for await (const { cid } of iterateFiles({ apiKey, endpoints: devnet.endpoints })) listed.push(cid);
  expect(listed).toEqual([body.Hash]);
  const back = await fetch(`${devnet.endpoints.gateway}/ipfs/${body.Hash}`);
  const got = createHash("sha256");
  for await (const chunk of back.body ?? []) got.update(chunk);
  const expected = createHash("sha256");
  for (let offset = 0; offset < SIZE; offset += MIB) expected.update(bytesFrom(offset, Math.min(MIB, SIZE - offset)));
  expect(got.digest("hex")).toBe(expected.digest("hex"));
  await killServer();
  console.log(`${SIZE / MIB} MiB, ${kills + 3} kills, ${cuts} cuts, peak RSS ${peak} MiB`);
  expect(peak).toBeLessThan(MAX_RSS_MIB);
});

/**
 * Sends bytes in one request, which ends early at `stopAt`: the connection is cut, or the server killed.
 *
 * @returns up to where bytes may have arrived
 */
async function send(
  at: string,
  offset: number,
  length: number,
  stopAt: number,
  kill?: () => Promise<void>,
): Promise<number> {
  const request = startHttp(at, {
    method: "PATCH",
    headers: {
      "Tus-Resumable": "1.0.0",
      "Upload-Offset": offset,
      "Content-Type": "application/offset+octet-stream",
      "Content-Length": length,
    },
  });
  // A wait for what never comes leaves its listener.
  request.setMaxListeners(0);
  const ended = new Promise<void>((resolve) => {
    request.on("error", () => resolve());
    request.on("response", (response) =>
      response
        .resume()
        .on("end", resolve)
        .on("error", () => resolve()),
    );
  });
  let sent = offset;
  while (sent < offset + length && sent < stopAt) {
    const part = bytesFrom(sent, Math.min(MIB, offset + length - sent));
    if (request.destroyed) break;
    if (!request.write(part)) await Promise.race([once(request, "drain"), ended]);
    sent += part.length;
  }
  if (sent >= stopAt) {
    if (kill) await kill();
    request.destroy();
  } else {
    request.end();
  }
  await ended;
  return sent;
}
