import { fork } from "node:child_process";
import { once } from "node:events";
import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { getPrice, openJournal, payWithToken } from "../../../src/index.ts";
import { chainForTests } from "../../../test/payment/chain-tools.ts";
import { bundleBesidePackages } from "../../../test/support/bundle-script.ts";
import { failure } from "../../../test/support/failure.ts";
import { scratch, writeTree } from "../../../test/support/files.ts";
import { type BulkPlan, type BulkSource, cancelBulk, openBulkLedger, payBulk, planBulk } from "../src/index.ts";
import type { PlanPayment } from "./child.ts";
import { databasesForTests } from "./engines.ts";

const chain = chainForTests();
const databases = databasesForTests();
let script: string;

beforeAll(async () => {
  script = await bundleBesidePackages(new URL("./pay-in-child.ts", import.meta.url));
});
afterAll(() => rm(dirname(script), { recursive: true, force: true }));

async function setUp() {
  const root = await scratch();
  const data = await writeTree(join(root, "data"), { a: "1" });
  const { plan } = await planBulk(data, { folder: join(root, "plan"), token: "usdc" });
  const payer = await chain().payer("usdc");
  const { network } = chain();
  const pay = { network, token: "usdc" as const, privateKey: payer.privateKey };
  return { root, plan, payer, pay };
}

const token = { token: "usdc" } as const;

/** Lists many small files, which exist nowhere. */
function listMany(count: number): BulkSource {
  return {
    place: "s3://many",
    async *list() {
      for (let at = 0; at < count; at++) yield { path: `f${at}`, size: 20 };
    },
    async *open() {},
  };
}

const openJournalIn = (root: string) => openJournal({ folder: join(root, "journal") });

test("a plan is paid once, however often that is called, and by no other journal", async () => {
  const { root, plan, payer, pay } = await setUp();
  const ledger = await openBulkLedger(join(root, "ledger"));
  const journal = await openJournalIn(root);
  const options = { ...pay, ledger, pollMs: 10 };
  const paid = await payBulk(plan, { ...options, journal });
  expect(await payBulk(plan, { ...options, journal })).toEqual(paid);
  for (const name of await readdir(join(root, "journal"))) {
    if (name.endsWith(".entry")) await rm(join(root, "journal", name));
  }
  const forgotten = await failure(payBulk(plan, { ...options, journal }));
  expect(forgotten.message).toContain(paid.hash);
  // A journal of another machine may be at the same place.
  await rm(join(root, "journal"), { recursive: true });
  const other = await openJournalIn(root);
  const refused = await failure(payBulk(plan, { ...options, journal: other }));
  expect(refused.code).toBe("INVALID_OPTION");
  expect(refused.message).toContain(paid.hash);
  expect(await chain().paid(payer.address)).toBe(1);
  await ledger.close();
});

test("an encrypted plan is paid for the bytes that are sent, unless an earlier version has started its payment", async () => {
  const { root, payer, pay } = await setUp();
  const ledger = await openBulkLedger(join(root, "ledger"));
  const journal = await openJournalIn(root);
  const options = { ...pay, ledger, journal, pollMs: 10 };
  const plan = async (name: string) => {
    const { plan: made, cost } = await planBulk(listMany(100_000), {
      folder: join(root, name),
      encrypted: true,
      ...token,
    });
    expect(made).toMatchObject({ bytes: 2_000_000, bytesToSend: 6_400_000 });
    expect(cost).toMatchObject({ bytes: 2_000_000, bytesToSend: 6_400_000 });
    return { made, cost };
  };
  const { made, cost } = await plan("new");
  expect(cost.price.amount).toBe((await getPrice(6_400_000, token)).amount);
  const paid = await payBulk(made, options);
  expect(paid.amount).toBe(cost.price.amount);
  // As an earlier version has paid for it, which ended before the ledger had that.
  const { made: older } = await plan("older");
  await payWithToken({ ...pay, journal, pollMs: 10, size: older.bytes, orderId: `bulk ${older.id}` });
  expect((await payBulk(older, options)).amount).toBe((await getPrice(older.bytes, token)).amount);
  expect(await chain().paid(payer.address)).toBe(2);
  await ledger.close();
});

test("a plan that is cancelled is not paid, nor one without what openJournal returned", async () => {
  const { root, plan, payer, pay } = await setUp();
  const ledger = await openBulkLedger(join(root, "ledger"));
  const journal = await openJournalIn(root);
  const code = async (changed: object) => (await failure(payBulk(plan, { ...pay, ledger, journal, ...changed }))).code;
  expect(await code({ journal: { place: "" } })).toBe("INVALID_OPTION");
  expect(await code({ ledger: {} })).toBe("INVALID_OPTION");
  expect(await code({ orderID: "1" })).toBe("INVALID_OPTION");
  expect((await failure(cancelBulk(plan.id, ledger))).code).toBe("INVALID_OPTION");
  expect(await code({ maxAmount: 1 })).toBe("PAYMENT_ABOVE_LIMIT");
  await cancelBulk(plan.id, ledger);
  expect(await code({})).toBe("INVALID_OPTION");
  expect(await chain().paid(payer.address)).toBe(0);
  await ledger.close();
});

/** Starts a process that pays for a plan, and waits until it does; `report` is the transaction, or the code of an error. */
async function startChild(plan: BulkPlan, root: string, pay: Pick<PlanPayment, "network" | "token" | "privateKey">) {
  const child = fork(script, { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const journalFolder = join(root, "journal");
  child.send({ ...pay, folder: plan.folder, journalFolder, ledgerPlace: databases.ledger() } satisfies PlanPayment);
  await once(child, "message");
  const report = once(child, "message").then(([hash]) => String(hash));
  // It never comes from a process that is killed.
  report.catch(() => undefined);
  return { child, report };
}

test("two processes at once pay for a plan once, and report the same transaction", async () => {
  const { root, plan, payer, pay } = await setUp();
  await openJournalIn(root);
  const children = await Promise.all([startChild(plan, root, pay), startChild(plan, root, pay)]);
  const [one, two] = await Promise.all(children.map(({ report }) => report));
  expect(one).toMatch(/^0x[0-9a-f]{64}$/);
  expect(two).toBe(one);
  expect(await chain().paid(payer.address)).toBe(1);
});

test.each([1, 60, 200])(
  "a process that is killed after %i ms leaves a payment that another one completes",
  async (ms) => {
    const { root, plan, payer, pay } = await setUp();
    const { child } = await startChild(plan, root, pay);
    const exited = once(child, "exit");
    await setTimeout(ms);
    child.kill("SIGKILL");
    await exited;
    const { report } = await startChild(plan, root, pay);
    expect(await report).toMatch(/^0x[0-9a-f]{64}$/);
    expect(await chain().paid(payer.address)).toBe(1);
  },
);
