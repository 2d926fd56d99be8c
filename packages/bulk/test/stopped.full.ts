import pg from "pg";
import { expect, test } from "vitest";
import { bundleBesidePackages } from "../../../test/support/bundle-script.ts";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import { getBulkStatus, openBulkLedger } from "../src/index.ts";
import { startChild } from "./child.ts";
import { databasesForTests } from "./engines.ts";
import { planDataset } from "./rig.ts";

const devnet = devnetForTests();
const databases = databasesForTests();

test("a process that is stopped within a transaction gives its rows up, and continues once it runs again", async () => {
  const { plan, upload } = await planDataset(devnet(), 5);
  const script = await bundleBesidePackages(new URL("./in-child.ts", import.meta.url));
  const ledger = await openBulkLedger(databases.ledger());
  const [holder, waiting] = await Promise.all([connect(), connect()]);
  // The process changes the rows of its batch as soon as they are free, and is stopped by then.
  await holder.query("begin");
  const job = {
    engine: "embedded",
    folder: plan.folder,
    connection: "",
    ledgerPlace: databases.ledger(),
    upload,
  } as const;
  // Long enough to lock its rows before the response, also on a busy machine.
  devnet().faults.add({ service: "upload", action: { kind: "delay", ms: 15_000 } });
  const child = startChild(script, job, () => undefined);
  await expect.poll(async () => (await getBulkStatus(plan, ledger)).counts.sent).toBe(5);
  // What it sent is written by a single statement, which has to be over: it would not stay within a transaction.
  await expect.poll(async () => (await waiting.query(SENT_BATCHES, [plan.id])).rows.length).toBe(1);
  await holder.query(LOCK_BATCH, [plan.id]);
  await expect.poll(() => countSessions(waiting, "wait_event_type = 'Lock'")).toBe(1);
  child.process.kill("SIGSTOP");
  await holder.query("rollback");
  await expect.poll(() => countSessions(waiting, "state = 'idle in transaction'")).toBe(1);
  await waiting.query("begin");
  await waiting.query(LOCK_BATCH, [plan.id]);
  await waiting.query("rollback");
  devnet().faults.clear();
  child.process.kill("SIGCONT");
  expect(await child.exited).toEqual([0, null]);
  expect(await getBulkStatus(plan, ledger)).toMatchObject({ state: "done", filesDone: 5, setAside: 0 });
  await Promise.all([holder.end(), waiting.end(), ledger.close()]);
}, 600_000);

test("a table that is missing is not waited for when writers keep it from being created", async () => {
  const ledger = await openBulkLedger(databases.ledger());
  const writer = await connect();
  await writer.query(
    "insert into keeplight.bulk_plan (id, plan) values ('other', '{}'); drop table keeplight.bulk_payment",
  );
  await writer.query("begin; update keeplight.bulk_plan set loaded = 1 where id = 'other'");
  const error = await failure(openBulkLedger(databases.ledger()));
  expect(error).toMatchObject({ code: "NETWORK", cause: { code: "55P03" } });
  await writer.query("rollback; delete from keeplight.bulk_plan where id = 'other'");
  await (await openBulkLedger(databases.ledger())).close();
  await Promise.all([writer.end(), ledger.close()]);
});

const SENT_BATCHES = "select 1 from keeplight.bulk_batch where plan = $1 and sent is not null";
const LOCK_BATCH = "select 1 from keeplight.bulk_batch where plan = $1 for update";

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(databases.ledger());
  await client.connect();
  return client;
}

/** Counts the connections of ledgers for which a condition holds. */
async function countSessions(client: pg.Client, condition: string): Promise<number> {
  const text = `select 1 from pg_stat_activity where application_name = 'keeplight' and ${condition}`;
  return (await client.query(text)).rows.length;
}
