import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { afterEach, expect, test } from "vitest";
import { createRecoveryIdentity, kavachRecoverKey, kavachRecoverShards } from "../../../src/index.ts";
import { as } from "../../../test/kavach/saved-keys.ts";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { failure } from "../../../test/support/failure.ts";
import {
  type BulkPlan,
  bulkWorker,
  enqueueBulk,
  getBulkStatus,
  openBulkLedger,
  retryBulk,
  runBulk,
} from "../src/index.ts";
import { breakConnections } from "./break-connections.ts";
import { databasesForTests, engineNames } from "./engines.ts";
import { startHolder } from "./held-connections.ts";
import { expectDecrypted, planDataset, readRows, toOwner } from "./rig.ts";

// All plans of a database have one journal, so that these tests share an identity.

const devnet = devnetForTests();
const databases = databasesForTests();
const identity = createRecoveryIdentity();

afterEach(() => devnet().faults.clear());

async function planEncrypted(count: number) {
  const { upload, ...planned } = await planDataset(devnet(), count, { encrypted: true });
  return { ...planned, upload: { ...upload, ...toOwner(devnet(), 0) } };
}

/** Returns all that the database has of plans and journals, as text. */
async function dumpDatabase(): Promise<string> {
  const client = new Client({ connectionString: databases.ledger() });
  await client.connect();
  try {
    const tables = ["bulk_plan", "bulk_batch", "bulk_file", "bulk_payment", "journal", "journal_entry"];
    const rows = [];
    for (const table of tables) rows.push(...(await client.query(`select * from keeplight.${table}`)).rows);
    return JSON.stringify(
      rows.map((row) => ({ ...row, text: row.sealed?.toString("latin1") ?? row.header?.toString() })),
    );
  } finally {
    await client.end();
  }
}

test("the keys of a batch are in the database sealed, until they are on the key nodes", async () => {
  const { data, plan, upload } = await planEncrypted(5);
  const ledger = await openBulkLedger(databases.ledger());
  const run = (options: object) => runBulk(plan, { upload, ledger, retryMs: 1, ...options });
  expect((await failure(run({}))).code).toBe("UNSUPPORTED");
  const unlock = { identity: (await identity).identity };
  const action = { kind: "respond", status: 500, json: { error: "no" } } as const;
  devnet().faults.add({ service: "keyNodes", method: "POST", path: "/api/setSharedKey/5", action });
  const failed = await run({ unlock, upload: { ...upload, attempts: 1 }, attempts: 1, outageMs: 0 });
  expect(failed).toMatchObject({ setAside: 5 });
  const rows = await readRows(plan, databases.ledger());
  const dump = await dumpDatabase();
  expect(dump).toContain(rows[0]?.cid);
  for (const { cid = "" } of rows) {
    const { shards } = await kavachRecoverShards(cid, as(devnet(), 0));
    const { masterKey } = await kavachRecoverKey(shards);
    expect(dump).not.toContain(masterKey);
    expect(dump).not.toContain(masterKey.slice(0, 16));
  }
  devnet().faults.clear();
  await retryBulk(plan.id, ledger);
  const other = { identity: (await createRecoveryIdentity()).identity };
  expect((await failure(run({ unlock: other }))).code).toBe("JOURNAL_LOCKED");
  expect(await run({ unlock })).toMatchObject({ filesDone: 5, setAside: 0 });
  await expectDecrypted(devnet(), data, await readRows(plan, databases.ledger()));
  expect(await countEntries()).toBe(0);
  await ledger.close();
});

async function countEntries(): Promise<number> {
  const client = new Client({ connectionString: databases.ledger() });
  await client.connect();
  try {
    return (await client.query("select id from keeplight.journal_entry")).rows.length;
  } finally {
    await client.end();
  }
}

test.each(["Redis", "PostgreSQL"] as const)("workers of a queue on %s send encrypted plans", async (engine) => {
  const { data, plan, upload } = await planEncrypted(8);
  const ledger = await openBulkLedger(databases.ledger());
  const connection = databases.connectionOf(engine);
  await enqueueBulk(plan, { connection, ledger });
  const unlock = { identity: (await identity).identity };
  const worker = await bulkWorker({ connection, ledger, upload, unlock });
  await eventually(async () => expect(await countDone(plan, ledger)).toBe(8));
  await worker.close();
  await ledger.close();
  await expectDecrypted(devnet(), data, await readRows(plan, databases.ledger()));
  expect(await countEntries()).toBe(0);
});

test("a damaged entry in the database sets its files aside, and on request they are encrypted again", async () => {
  const { data, plan, upload } = await planEncrypted(4);
  const ledger = await openBulkLedger(databases.ledger());
  const unlock = { identity: (await identity).identity };
  const run = (options: object) => runBulk(plan, { upload, ledger, unlock, retryMs: 1, ...options });
  const action = { kind: "respond", status: 500, json: { error: "no" } } as const;
  devnet().faults.add({ service: "keyNodes", method: "POST", path: "/api/setSharedKey/5", action });
  await run({ upload: { ...upload, attempts: 1 }, attempts: 1, outageMs: 0 });
  devnet().faults.clear();
  const client = new Client({ connectionString: databases.ledger() });
  await client.connect();
  await client.query("update keeplight.journal_entry set sealed = set_byte(sealed, 20, 255 - get_byte(sealed, 20))");
  await client.end();
  await retryBulk(plan.id, ledger);
  expect(await run({})).toMatchObject({ filesDone: 0, setAside: 4 });
  const rows = await readRows(plan, databases.ledger());
  expect(rows.map(({ problem }) => problem?.code)).toEqual(Array(4).fill("JOURNAL_DAMAGED"));
  expect(await countEntries()).toBe(1);
  expect(await retryBulk(plan.id, ledger, { encryptAgain: true })).toBe(4);
  expect(await run({})).toMatchObject({ filesDone: 4, setAside: 0 });
  await ledger.close();
  await expectDecrypted(devnet(), data, await readRows(plan, databases.ledger()));
  expect(await countEntries()).toBe(0);
});

async function countDone(plan: BulkPlan, ledger: Parameters<typeof getBulkStatus>[1]): Promise<number> {
  return (await getBulkStatus(plan, ledger)).filesDone;
}

test.each(engineNames)("keys that a broken connection has left are erased by the next attempt, %s", async (engine) => {
  const { plan, upload } = await planEncrypted(2);
  const ledger = await openBulkLedger(databases.ledger());
  const unlock = { identity: (await identity).identity };
  const client = new Client({ connectionString: databases.ledger() });
  await client.connect();
  // The connections of two attempts break.
  await client.query(`create sequence keeplight.erasing;
create function keeplight.break_connection() returns trigger language plpgsql as $$ begin
  if nextval('keeplight.erasing') <= 2 then perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(60); end if;
  return old;
end $$;
create trigger breaks before delete on keeplight.journal_entry
for each row execute function keeplight.break_connection()`);
  const readErasing = async () =>
    Number((await client.query("select last_value from keeplight.erasing")).rows[0].last_value);
  if (engine === "embedded") {
    expect(await runBulk(plan, { upload, ledger, unlock, retryMs: 1 })).toMatchObject({ filesDone: 2, setAside: 0 });
  } else {
    const connection = databases.connectionOf(engine);
    await enqueueBulk(plan, { connection, ledger });
    const worker = await bulkWorker({ connection, ledger, upload, unlock });
    await eventually(async () => expect(await readErasing()).toBe(3));
    await worker.close();
  }
  expect(await readErasing()).toBe(3);
  expect(await countEntries()).toBe(0);
  expect(await getBulkStatus(plan, ledger)).toMatchObject({ filesDone: 2, setAside: 0 });
  await client.query("drop function keeplight.break_connection cascade; drop sequence keeplight.erasing");
  await client.end();
  await ledger.close();
});

test("a worker that is suspended while it erases keys does not erase those of another worker afterwards", async () => {
  const { data, plan, upload } = await planEncrypted(2);
  const unlock = { identity: (await identity).identity };
  const [folder = ""] = await readdir(data);
  const [hidden = ""] = await readdir(join(data, folder));
  await rename(join(data, folder, hidden), `${data}-hidden`);
  const holder = await startHolder(databases.ledger(), "delete from keeplight.journal_entry");
  const suspended = await openBulkLedger(holder.url);
  const running = runBulk(plan, { upload, ledger: suspended, unlock, retryMs: 1 });
  await holder.held;
  // The database gives a machine up that is not heard of any more.
  await breakConnections(databases.ledger());
  await rename(`${data}-hidden`, join(data, folder, hidden));

  const ledger = await openBulkLedger(databases.ledger());
  expect(await retryBulk(plan.id, ledger)).toBe(1);
  const action = { kind: "respond", status: 500, json: { error: "no" } } as const;
  devnet().faults.add({ service: "keyNodes", method: "POST", path: "/api/setSharedKey/5", action });
  const once = { upload: { ...upload, attempts: 1 }, attempts: 1, outageMs: 0 };
  const stored = await runBulk(plan, { ledger, unlock, retryMs: 1, ...once });
  expect(stored).toMatchObject({ counts: { stored: 0 }, filesDone: 1, setAside: 1 });
  holder.release();
  await running;
  expect(await countEntries()).toBe(1);

  devnet().faults.clear();
  expect(await retryBulk(plan.id, ledger)).toBe(1);
  expect(await runBulk(plan, { upload, ledger, unlock, retryMs: 1 })).toMatchObject({ filesDone: 2, setAside: 0 });
  await expectDecrypted(devnet(), data, await readRows(plan, databases.ledger()));
  expect(await countEntries()).toBe(0);
  await Promise.all([ledger.close(), suspended.close()]);
  await holder.close();
});
