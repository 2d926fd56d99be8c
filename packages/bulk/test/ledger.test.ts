import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startPostgres, type TestDatabase } from "../../../test/support/databases.ts";
import { failure } from "../../../test/support/failure.ts";
import { scratch } from "../../../test/support/files.ts";
import { openBulkLedger } from "../src/index.ts";
import { applyChanges, type FileStatus, type Ledger, type LedgerRow, type RowChange } from "../src/ledger/ledger.ts";
import { openLevelLedger } from "../src/ledger/level-ledger.ts";
import { openPostgresLedger } from "../src/ledger/postgres-ledger.ts";
import { breakConnections, breakConnectionsUnnoticed } from "./break-connections.ts";

const statuses: FileStatus[] = ["found", "sent", "stored", "saved", "verified"];
const row = (status: FileStatus, more: Partial<LedgerRow> = {}): LedgerRow => ({
  path: "a",
  size: 1,
  index: 0,
  status,
  ...more,
});
const problem = { code: "TIMEOUT", message: "Request timed out" };

test("a status is followed by the next ones only", () => {
  const allowed = statuses.flatMap((from) =>
    statuses.flatMap((to) => {
      const change: RowChange = { index: 0, from, to, ...(to === "stored" ? { cid: "cid" } : {}) };
      return applyChanges([row(from)], [change]) ? [`${from} ${to}`] : [];
    }),
  );
  expect(allowed).toEqual(["found sent", "sent stored", "stored saved", "stored verified", "saved verified"]);
});

test("changes are made together or not at all, from the status they expect, once", () => {
  const rows = [row("found"), row("sent", { index: 1 })];
  const first: RowChange = { index: 0, from: "found", to: "sent" };
  expect(applyChanges(rows, [first])?.map(({ status }) => status)).toEqual(["sent", "sent"]);
  expect(rows[0]?.status).toBe("found");
  expect(applyChanges(rows, [first, { index: 1, from: "found", to: "sent" }])).toBe(undefined);
  expect(applyChanges(rows, [first, first])).toBe(undefined);
  expect(applyChanges(rows, [{ ...first, index: 2 }])).toBe(undefined);
  expect(applyChanges(rows, [{ index: 1, from: "sent", to: "stored" }])).toBe(undefined);
  expect(applyChanges(rows, [{ ...first, cid: "cid" }])).toBe(undefined);
});

test("a file that is set aside is only retried, and starts again only if it is lost", () => {
  const setAside = applyChanges([row("sent")], [{ index: 0, from: "sent", to: "sent", problem }]);
  expect(setAside).toEqual([row("sent", { problem })]);
  expect(applyChanges(setAside ?? [], [{ index: 0, from: "sent", to: "stored", cid: "cid" }])).toBe(undefined);
  expect(applyChanges(setAside ?? [], [{ index: 0, from: "sent", to: "found", problem: null }])).toBe(undefined);
  expect(applyChanges(setAside ?? [], [{ index: 0, from: "sent", to: "sent", problem: null }])).toEqual([row("sent")]);
  const lost = row("stored", { cid: "cid", root: "root", problem: { code: "FILE_LOST", message: "" } });
  expect(applyChanges([lost], [{ index: 0, from: "stored", to: "found", problem: null }])).toEqual([row("found")]);
  expect(applyChanges([row("sent")], [{ index: 0, from: "sent", to: "sent", problem: null }])).toBe(undefined);
});

let postgres: TestDatabase;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

const ledgers: [name: string, open: () => Promise<Ledger>][] = [
  ["LevelDB", async () => openLevelLedger(join(await scratch(), "ledger"))],
  ["PostgreSQL", () => openPostgresLedger(postgres.url)],
];

describe.each(ledgers)("a ledger in %s", (name, open) => {
  const plan = (id: string, encrypted = false) => {
    const counts = { files: 3, bytes: 6, bytesToSend: 6, batches: 2 };
    return { id: `${name} ${id}`, name: "data", folder: "/plan", place: "/data", root: "/data", encrypted, ...counts };
  };
  const files = [
    { path: "a", size: 1, mtime: 1_700_000_000_123 },
    { path: "é/😀", size: 2 ** 40, sha256: "0".repeat(64) },
  ];

  test("keeps plans, rows and what else belongs to them", async () => {
    const ledger = await open();
    try {
      const { folder: _, bytesToSend: __, ...facts } = plan("1");
      const { id } = facts;
      expect(await ledger.addPlan(plan("1"))).toEqual({ ...facts, state: "running", loaded: 0 });
      await ledger.addBatch(id, 0, files);
      await ledger.addBatch(id, 0, [{ path: "other", size: 1 }]);
      expect(await ledger.addPlan(plan("1"))).toMatchObject({ loaded: 1 });
      expect(await ledger.getPlan(id)).toMatchObject({ loaded: 1 });
      expect(await ledger.read(id, 0)).toEqual(files.map((file, index) => ({ ...file, index, status: "found" })));
      expect(await ledger.read(id, 1)).toEqual([]);
      expect(await ledger.listOpen(id, -1, 10)).toEqual([0]);
      expect(await ledger.startPayment(id, { journal: "one" })).toEqual({ journal: "one" });
      expect(await ledger.startPayment(id, { journal: "two" })).toEqual({ journal: "one" });
      await ledger.finishPayment(id, "0x1");
      await ledger.finishPayment(id, "0x2");
      expect(await ledger.startPayment(id, { journal: "two" })).toEqual({ journal: "one", hash: "0x1" });
      await ledger.setState(id, "paused");
      expect((await ledger.getPlan(id))?.state).toBe("paused");
      await ledger.setState(id, "cancelled");
      await ledger.setState(id, "running");
      expect((await ledger.getPlan(id))?.state).toBe("cancelled");
    } finally {
      await ledger.close();
    }
  });

  test("changes rows by compare-and-set: of concurrent changes one is made", async () => {
    const ledger = await open();
    try {
      const { id } = await ledger.addPlan(plan("2"));
      for (const batch of [0, 1]) await ledger.addBatch(id, batch, files);
      const sent: RowChange[] = [0, 1].map((index) => ({ index, from: "found", to: "sent" }));
      const outcomes = await Promise.all(Array.from({ length: 6 }, () => ledger.change(id, 0, sent)));
      expect(outcomes.filter((rows) => rows !== undefined)).toHaveLength(1);
      expect(await ledger.getSent(id, 0)).toBe(undefined);
      await ledger.setSent(id, 0, { roots: ["other"], cids: {} });
      const last = { roots: ["root"], cids: { 0: "cid", 1: "cid" } };
      await ledger.setSent(id, 0, last);
      const stored: RowChange = { index: 0, from: "sent", to: "stored", cid: "cid", root: "root" };
      const aside: RowChange = { index: 1, from: "sent", to: "sent", problem };
      expect(await ledger.change(id, 0, [stored, { ...aside, from: "found" }])).toBe(undefined);
      expect(await ledger.change(id, 0, [stored])).toMatchObject([{ cid: "cid" }, { status: "sent" }]);
      expect(await ledger.listOpen(id, -1, 10)).toEqual([0, 1]);
      await ledger.change(id, 0, [aside]);
      expect(await ledger.listOpen(id, -1, 10)).toEqual([1]);
      expect(await ledger.read(id, 0)).toMatchObject([{ status: "stored", cid: "cid", root: "root" }, { problem }]);
      const counts = (await ledger.count(id)).sort((a, b) => a.files - b.files || a.bytes - b.bytes);
      expect(counts).toEqual([
        { status: "stored", isSetAside: false, files: 1, bytes: 1 },
        { status: "sent", isSetAside: true, files: 1, bytes: 2 ** 40 },
        { status: "found", isSetAside: false, files: 2, bytes: 2 ** 40 + 1 },
      ]);
      await ledger.change(id, 0, [{ ...aside, problem: null }]);
      expect(await ledger.listOpen(id, -1, 1)).toEqual([0]);
      expect(await ledger.getSent(id, 0)).toEqual(last);
      await ledger.change(id, 0, [{ ...stored, index: 1 }]);
      expect(await ledger.getSent(id, 0)).toBe(undefined);
    } finally {
      await ledger.close();
    }
  });

  test("a batch has one owner at a time", async () => {
    const ledger = await open();
    try {
      const [first, second] = await Promise.all([ledger.own("owned", 1), ledger.own("owned", 1)]);
      expect([first, second].filter((ownership) => ownership !== undefined)).toHaveLength(1);
      expect(await ledger.own("owned", 2)).toBeDefined();
      await (first ?? second)?.release();
      expect(await ledger.own("owned", 1)).toBeDefined();
    } finally {
      await ledger.close();
    }
  });
});

test("in PostgreSQL, what a process owned is free when its connection ends", async () => {
  const [one, other] = await Promise.all([openPostgresLedger(postgres.url), openPostgresLedger(postgres.url)]);
  try {
    expect(await one.own("process", 1)).toBeDefined();
    expect(await other.own("process", 1)).toBe(undefined);
    await one.close();
    await expect.poll(async () => (await other.own("process", 1)) !== undefined).toBe(true);
  } finally {
    await other.close();
  }
});

test("in PostgreSQL, who loses the connection of a batch is told, and another one may have it", async () => {
  const [one, other] = await Promise.all([openPostgresLedger(postgres.url), openPostgresLedger(postgres.url)]);
  try {
    const ownership = await one.own("lost", 1);
    expect(ownership?.lost.aborted).toBe(false);
    await breakConnections(postgres.url);
    await expect.poll(() => ownership?.lost.aborted).toBe(true);
    const taken = await other.own("lost", 1);
    expect(taken?.lost.aborted).toBe(false);
    await ownership?.release();
    expect(await one.own("lost", 1)).toBe(undefined);
    await taken?.release();
    expect((await one.own("lost", 1))?.lost.aborted).toBe(false);
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
});

test("in PostgreSQL, a batch can be owned although the connections have ended and nobody has noticed", async () => {
  const [ledger, other] = await Promise.all([openPostgresLedger(postgres.url), openPostgresLedger(postgres.url)]);
  try {
    breakConnectionsUnnoticed(postgres.url);
    const first = await ledger.own("ended", 1);
    expect(first?.lost.aborted).toBe(false);
    breakConnectionsUnnoticed(postgres.url);
    const second = await ledger.own("ended", 2);
    expect(second?.lost.aborted).toBe(false);
    expect(first?.lost.aborted).toBe(true);
    expect(await other.own("ended", 2)).toBe(undefined);
    expect(await other.own("ended", 1)).toBeDefined();
  } finally {
    await Promise.all([ledger.close(), other.close()]);
  }
});

test("in PostgreSQL, a connection that breaks within a change ends the change, not the process", async () => {
  const ledger = await openPostgresLedger(postgres.url);
  const blocker = new pg.Client(postgres.url);
  try {
    await blocker.connect();
    const facts = { id: "broken", name: "data", folder: "/plan", place: "/data", encrypted: false };
    const { id } = await ledger.addPlan({ ...facts, files: 1, bytes: 1, bytesToSend: 1, batches: 1 });
    await ledger.addBatch(id, 0, [{ path: "a", size: 1 }]);
    await blocker.query("begin");
    await blocker.query("select 1 from keeplight.bulk_batch where plan = $1 for update", [id]);
    const change: RowChange = { index: 0, from: "found", to: "sent" };
    const changing = failure(ledger.change(id, 0, [change]));
    await expect.poll(() => breakConnections(postgres.url, "wait_event_type = 'Lock'")).toBe(1);
    expect((await changing).code).toBe("NETWORK");
    await blocker.query("rollback");
    expect(await ledger.change(id, 0, [change])).toMatchObject([{ status: "sent" }]);
  } finally {
    await blocker.end();
    await ledger.close();
  }
});

test("a ledger that cannot be opened is refused, without its password", async () => {
  const folder = join(await scratch(), "ledger");
  const ledger = await openBulkLedger(folder);
  expect((await failure(openBulkLedger(folder))).code).toBe("INVALID_OPTION");
  await ledger.close();
  const error = await failure(openBulkLedger("postgres://me:secret@127.0.0.1:1/none"));
  expect(error.code).toBe("NETWORK");
  expect(`${error.message} ${JSON.stringify(error)}`).not.toContain("secret");
  expect((await failure(openBulkLedger(""))).code).toBe("INVALID_OPTION");
  for (const place of [
    "postgres://me:secret/x@host/db",
    "postgres://me:12/secret@host/db",
    "postgres://me:12?secret@host/db",
    "postgres://me:12#secret@host/db",
    "postgres://me:secret%@host/db",
    "mysql://me:secret@host/db",
  ]) {
    const refused = await failure(openBulkLedger(place));
    expect(refused.code).toBe("INVALID_OPTION");
    expect(`${refused.message} ${JSON.stringify(refused)} ${refused.cause}`).not.toContain("secret");
  }
});
