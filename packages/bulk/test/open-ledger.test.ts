import pg from "pg";
import { expect, test } from "vitest";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import { getBulkStatus, openBulkLedger, runBulk } from "../src/index.ts";
import { databasesForTests } from "./engines.ts";
import { planDataset, readRows } from "./rig.ts";

const devnet = devnetForTests();
const databases = databasesForTests();

test("opening a ledger waits for nobody who writes to it, and keeps nobody waiting", async () => {
  const { plan, upload } = await planDataset(devnet(), 5);
  const [ledger, writer] = [await openBulkLedger(databases.ledger()), new pg.Client(databases.ledger())];
  await writer.connect();
  // A transaction of another plan, whose process is stopped.
  await writer.query("insert into keeplight.bulk_plan (id, plan) values ('other', '{}')");
  await writer.query("begin; insert into keeplight.bulk_batch (plan, batch, is_open) values ('other', 0, true)");
  const opened = await openBulkLedger(databases.ledger());
  expect(await runBulk(plan, { upload, ledger })).toMatchObject({ filesDone: 5 });
  await writer.query("rollback; delete from keeplight.bulk_plan where id = 'other'");
  await Promise.all([writer.end(), opened.close(), ledger.close()]);
});

test("whoever may only read a ledger can see how far its plans are", async () => {
  const { plan, upload } = await planDataset(devnet(), 3);
  const ledger = await openBulkLedger(databases.ledger());
  await runBulk(plan, { upload, ledger });
  await ledger.close();
  const admin = new pg.Client(databases.ledger());
  await admin.connect();
  await admin.query("create role monitor login; grant usage on schema keeplight to monitor");
  await admin.query("grant select on keeplight.bulk_plan, keeplight.bulk_file to monitor");
  await admin.end();
  const asMonitor = await openBulkLedger(databases.ledger().replace("keeplight@", "monitor@"));
  expect(await getBulkStatus(plan, asMonitor)).toMatchObject({ filesDone: 3 });
  expect(await failure(runBulk(plan, { upload, ledger: asMonitor }))).toMatchObject({
    code: "NETWORK",
    cause: { code: "42501" },
  });
  await asMonitor.close();
});

test("a ledger that has no columns for folders yet gets them, and continues", async () => {
  const { plan, upload } = await planDataset(devnet(), 3);
  const before = await openBulkLedger(databases.ledger());
  await before.close();
  const admin = new pg.Client(databases.ledger());
  await admin.connect();
  await admin.query("alter table keeplight.bulk_file drop column root");
  await admin.query("alter table keeplight.bulk_batch drop column sent");
  await admin.end();
  const ledger = await openBulkLedger(databases.ledger());
  expect(await runBulk(plan, { upload, ledger })).toMatchObject({ filesDone: 3 });
  await ledger.close();
  const roots = (await readRows(plan, databases.ledger())).map(({ root }) => root);
  expect(roots).toEqual(Array(3).fill(expect.stringMatching(/^(Qm|b)/)));
  expect(new Set(roots).size).toBe(1);
});

test("many processes open the first ledger of a database at once", async () => {
  const admin = new pg.Client(databases.ledger());
  await admin.connect();
  await admin.query("create database empty");
  await admin.end();
  const url = databases.ledger().replace("/postgres", "/empty");
  const ledgers = await Promise.all(Array.from({ length: 8 }, () => openBulkLedger(url)));
  await Promise.all(ledgers.map((ledger) => ledger.close()));
});

test("a schema that an administrator has created is filled by a role that may create tables in it alone", async () => {
  const admin = new pg.Client(databases.ledger());
  await admin.connect();
  await admin.query("create role filler login");
  await admin.query("create database prepared");
  await admin.end();
  const prepared = databases.ledger().replace("/postgres", "/prepared");
  const owner = new pg.Client(prepared);
  await owner.connect();
  await owner.query("create schema keeplight authorization filler");
  await owner.end();
  const { plan, upload } = await planDataset(devnet(), 1);
  const ledger = await openBulkLedger(prepared.replace("keeplight@", "filler@"));
  expect(await runBulk(plan, { upload, ledger })).toMatchObject({ filesDone: 1 });
  await ledger.close();
});
