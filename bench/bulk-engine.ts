// Measures what a queue costs: the batches of a plan are sent by `runBulk`, and by a worker of BullMQ on PostgreSQL and on
// Redis, in turn, each in a process of its own with a ledger in the same PostgreSQL. Includes adding the plan to both.
// `npx tsx --conditions=keeplight-source bench/bulk-engine.ts [files] [bytes of each] [rounds]`.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { type BulkUploadOptions, openBulkLedger, planBulk } from "../packages/bulk/src/index.ts";
import { getLedger } from "../packages/bulk/src/ledger/open-ledger.ts";
import { bundleBesidePackages } from "../test/support/bundle-script.ts";
import { startPostgres, startRedis } from "../test/support/databases.ts";
import type { EngineJob } from "./bulk-engine-process.ts";
import { judge, median } from "./judge.ts";
import { nextMessage, start } from "./processes.mjs";
import { createScratch } from "./scratch.mjs";

const files = Number(process.argv[2] ?? 20_000);
const bytes = Number(process.argv[3] ?? 1_000);
const rounds = Number(process.argv[4] ?? 5);
const WORKERS = 4;
const FILES_PER_FOLDER = 500;
const POLL_MS = 20;
/** Of what it takes without a queue. */
const GOAL = 1.1;

/** Where the queue is. */
interface Engine {
  name: string;
  connection: string | undefined;
}

/** Seconds until all files are stored, and those of the processor in the process that sends them. */
interface Measurement {
  seconds: number;
  processorSeconds: number;
}

const place = createScratch();
const bundled = await Promise.all([
  bundleBesidePackages(new URL("./devnet-process.ts", import.meta.url)),
  bundleBesidePackages(new URL("./bulk-engine-process.ts", import.meta.url)),
]);
const [devnetScript, engineScript] = bundled.map((path) => pathToFileURL(path)) as [URL, URL];
const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
const devnet = start(devnetScript);
try {
  const upload = (await nextMessage(devnet)) as BulkUploadOptions;
  const data = join(place, "data");
  for (let at = 0; at < files; at++) {
    const folder = join(data, `d${Math.floor(at / FILES_PER_FOLDER)}`);
    if (at % FILES_PER_FOLDER === 0) await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `f${at}.txt`), `file ${at} `.padEnd(bytes, "x"));
  }
  const ledger = await openBulkLedger(postgres.url);
  const rows = getLedger(ledger);
  let plans = 0;

  /** Plans the files again, and has them sent. */
  async function measure({ connection }: Engine): Promise<Measurement> {
    const { plan } = await planBulk(data, { folder: join(place, `plan-${plans++}`) });
    const job: EngineJob = { folder: plan.folder, ledgerPlace: postgres.url, connection, upload, workers: WORKERS };
    const child = start(engineScript, job);
    await nextMessage(child);
    const startedAt = performance.now();
    child.send("start");
    for (let isDone = false; !isDone; ) {
      await setTimeout(POLL_MS);
      const isLoaded = (await rows.getPlan(plan.id))?.loaded === plan.batches;
      isDone = isLoaded && (await rows.listOpen(plan.id, -1, 1)).length === 0;
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    child.send("end");
    return { seconds, processorSeconds: (await nextMessage(child)) as number };
  }

  const engines: Engine[] = [
    { name: "no queue", connection: undefined },
    { name: "PostgreSQL", connection: postgres.url },
    { name: "Redis", connection: redis.url },
  ];
  // The first time a database creates its tables, and everything is compiled.
  for (const engine of engines) await measure(engine);
  const ratios = new Map(engines.map(({ name }) => [name, { time: [] as number[], processor: [] as number[] }]));
  for (let round = 0; round < rounds; round++) {
    const found = new Map<string, Measurement>();
    for (let at = 0; at < engines.length; at++) {
      const engine = engines[(at + round) % engines.length] as Engine;
      found.set(engine.name, await measure(engine));
    }
    const alone = found.get("no queue") as Measurement;
    const columns = engines.map(({ name }) => {
      const { seconds, processorSeconds } = found.get(name) as Measurement;
      ratios.get(name)?.time.push(seconds / alone.seconds);
      ratios.get(name)?.processor.push(processorSeconds / alone.processorSeconds);
      return `${name} ${seconds.toFixed(1)} s (processor ${processorSeconds.toFixed(1)} s)`;
    });
    console.log(`${files} files of ${bytes} bytes: ${columns.join(", ")}`);
  }
  for (const [name, { time, processor }] of [...ratios].slice(1)) {
    judge(`queue on ${name}: time, of that without a queue`, median(time.sort(ascending)), GOAL, "at most");
    judge(`queue on ${name}: processor of the worker, likewise`, median(processor.sort(ascending)), GOAL, "at most");
  }
  await ledger.close();
} finally {
  devnet.disconnect();
  await Promise.all([postgres.stop(), redis.stop()]);
  await Promise.all(bundled.map((path) => rm(dirname(path), { recursive: true, force: true })));
}

function ascending(a: number, b: number): number {
  return a - b;
}
