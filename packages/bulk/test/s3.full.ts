import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { formatCid } from "../../../src/formats/cid/content-id.ts";
import { hashFile } from "../../../src/formats/cid/file.ts";
import { createRecoveryIdentity } from "../../../src/index.ts";
import { bundleBesidePackages } from "../../../test/support/bundle-script.ts";
import { account, devnetForTests, getApiKey } from "../../../test/support/devnet-wire.ts";
import { scratch } from "../../../test/support/files.ts";
import { readObject } from "../../../test/support/s3-objects.ts";
import { type S3Faults, type S3Server, startS3Server } from "../../../test/support/s3-server.ts";
import { openSource } from "../../s3/test/client.ts";
import { enqueueBulk, getBulkStatus, openBulkLedger, planBulk, readBulkPlan } from "../src/index.ts";
import type { LedgerRow } from "../src/ledger/ledger.ts";
import { type Child, startChild } from "./child.ts";
import { databasesForTests, engineNames } from "./engines.ts";
import { countUploads, readRows } from "./rig.ts";
import { createKeys, expectObjects, listStoredCids } from "./s3-rig.ts";

// A bucket is stored by processes that are killed with -9 all the time, and is down meanwhile.
// OBJECTS=200000 S3_KILLS=1000 S3_KILL_MS=10000 S3_OUTAGE_MS=60000 npm run test:full -- packages/bulk/test/s3.full.ts -t embedded

const OBJECTS = Number(process.env["OBJECTS"] ?? 1_200);
const ENCRYPTED_OBJECTS = Number(process.env["ENCRYPTED_OBJECTS"] ?? 60);
const KILL_EVERY_MS = Number(process.env["S3_KILL_MS"] ?? 3_000);
/** After these, processes are left alone. */
const MAX_KILLS = Number(process.env["S3_KILLS"] ?? 3);
const OUTAGE_MS = Number(process.env["S3_OUTAGE_MS"] ?? 3_000);
const WORKERS = 3;
const MAX_RSS_BYTES = 260 * 1024 ** 2;
/** 40 ms for each object: what a very busy machine takes. */
const timeout = Math.max(20 * 60_000, OBJECTS * 40);

const devnet = devnetForTests();
const databases = databasesForTests();
let script: string;
let identity: string;

beforeAll(async () => {
  ({ identity } = await createRecoveryIdentity());
  script = await bundleBesidePackages(new URL("./in-child.ts", import.meta.url));
});
afterAll(() => rm(dirname(script), { recursive: true, force: true }));

const MAX_TIMER_MS = 2 ** 31 - 1;

describe.each(engineNames)("%s", (engine) => {
  test.each([
    ["objects", OBJECTS, false],
    ["encrypted objects", ENCRYPTED_OBJECTS, true],
  ])("of many %s none is lost, stored twice or set aside", { timeout }, async (_, count, encrypted) => {
    const server = await startS3Server({ keys: createKeys(count), isRecording: false });
    onTestFinished(() => server.close());
    const outage = createOutage(count);
    server.setFaults(outage.faults);
    const folder = join(await scratch(), "plan");
    const isEmbedded = engine === "embedded";
    const place = isEmbedded ? join(folder, "ledger") : databases.ledger();
    const connection = isEmbedded ? "" : databases.connectionOf(engine);
    const apiKey = await getApiKey(devnet(), account(devnet(), 0));
    const upload = { apiKey, endpoints: devnet().endpoints };
    const bucket = { endpoint: server.endpoint, ...server.credentials };
    const owner = encrypted ? { privateKey: account(devnet(), 0).privateKey, unlock: { identity } } : {};
    const job = { engine, folder, connection, ledgerPlace: place, upload, bucket, ...owner };
    const before = { uploads: countUploads(devnet()), stored: new Set(await listStoredCids(devnet(), apiKey)) };
    let peak = 0;
    const start = () => startChild(script, job, (rss) => (peak = Math.max(peak, rss)));
    const startedAt = performance.now();
    const kills = isEmbedded ? await runAndKill(start) : await workAndKill(start);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);

    const plan = await readBulkPlan(folder);
    const rows = await readRows(plan, place);
    const stored = (await listStoredCids(devnet(), apiKey)).filter((cid) => !before.stored.has(cid));
    const uploads = countUploads(devnet()) - before.uploads;
    console.log(
      `${engine}: ${count} ${encrypted ? "encrypted " : ""}objects, ${kills} kills, ${outage.refused()} requests refused in ` +
        `the outage, ${plan.batches} batches, ${stored.length} stored, ${seconds} s, ${Math.round(peak / 1024 ** 2)} MiB`,
    );
    expect(kills).toBeGreaterThan(0);
    expect(outage.refused()).toBeGreaterThan(0);
    const done = encrypted ? "saved" : "stored";
    expect(rows.filter(({ status, problem }) => status !== done || problem)).toEqual([]);
    expect(new Set(rows.map(({ path }) => path)).size).toBe(count);
    // Only a request that was complete when its process was killed may not be found yet when another one looks for it.
    expect(uploads).toBeLessThanOrEqual(plan.batches + (encrypted ? kills : 0));
    if (encrypted) {
      await expectObjects(devnet(), server, rows, true);
      expect(new Set(rows.map(({ cid }) => cid)).size).toBe(count);
    } else {
      expect(await findWrongCids(server, rows)).toEqual([]);
      await expectObjects(
        devnet(),
        server,
        rows.filter((_, at) => at % 500 === 0),
      );
      expect(new Set(stored).size).toBe(plan.batches);
      expect(stored.length).toBe(plan.batches);
    }
    expect(peak).toBeLessThanOrEqual(MAX_RSS_BYTES);

    /** Returns when to kill next: on a busy machine, no batch may be sent between two kills. */
    function getNextInterval(killEveryMs: number, uploadsBefore: number): number {
      const isStuck = countUploads(devnet()) === uploadsBefore && !outage.isOn();
      return isStuck ? killEveryMs * 1.5 : KILL_EVERY_MS;
    }

    /** Runs a process that plans and sends the bucket, and kills it all the time; returns how often. */
    async function runAndKill(start: () => Child): Promise<number> {
      let killEveryMs = KILL_EVERY_MS;
      for (let kills = 0; ; kills++) {
        const uploads = countUploads(devnet());
        const child = start();
        const killAfterMs = kills < MAX_KILLS ? killEveryMs : MAX_TIMER_MS;
        const outcome = await Promise.race([child.exited, setTimeout(killAfterMs, "kill", { ref: false })]);
        if (outcome !== "kill") return kills;
        child.process.kill("SIGKILL");
        await child.exited;
        killEveryMs = getNextInterval(killEveryMs, uploads);
      }
    }

    /** Enqueues the bucket, and kills one worker after the other; returns how often. */
    async function workAndKill(start: () => Child): Promise<number> {
      const { plan } = await planBulk(openSource(server), { folder, encrypted });
      const ledger = await openBulkLedger(place);
      await enqueueBulk(plan, { connection, ledger });
      const workers = Array.from({ length: WORKERS }, start);
      let kills = 0;
      for (let killEveryMs = KILL_EVERY_MS; !(await isDone()); ) {
        const uploads = countUploads(devnet());
        await setTimeout(killEveryMs);
        if (kills === MAX_KILLS) continue;
        kills++;
        killEveryMs = getNextInterval(killEveryMs, uploads);
        const victim = workers.shift();
        victim?.process.kill("SIGKILL");
        await victim?.exited;
        workers.push(start());
      }
      for (const worker of workers) worker.process.send("close");
      await Promise.all(workers.map(({ exited }) => exited));
      await ledger.close();
      return kills;

      async function isDone(): Promise<boolean> {
        const { filesDone, setAside, files } = await getBulkStatus(plan, ledger);
        return filesDone + setAside === files;
      }
    }
  });
});

/** Creates an outage that starts once a third of the objects was read: at first no connection is kept, then all are throttled. */
function createOutage(objects: number) {
  let reads = 0;
  let refused = 0;
  let startedAt: number | undefined;
  const getAge = () => (startedAt === undefined ? -1 : performance.now() - startedAt);
  const isOn = () => startedAt !== undefined && getAge() < OUTAGE_MS;
  const faults: S3Faults = ({ operation }) => {
    if (operation === "GetObject") reads++;
    if (reads > objects / 3) startedAt ??= performance.now();
    if (!isOn()) return undefined;
    refused++;
    return getAge() < OUTAGE_MS / 2 ? { is: "reset" } : { is: "refuse", status: 503, code: "SlowDown" };
  };
  return { faults, isOn, refused: () => refused };
}

async function findWrongCids({ objects }: S3Server, rows: readonly LedgerRow[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const { path, cid } of rows) {
    const object = objects.find(path);
    const hasher = hashFile(1);
    if (object) await hasher.update(readObject(object));
    if (formatCid((await hasher.finish()).cid) !== cid) wrong.push(path);
  }
  return wrong;
}
