import { type Database, openDatabase } from "./postgres-connection.ts";
import { createPostgresStore } from "./postgres-journal.ts";
import { ensureTables } from "./postgres-tables.ts";
import { toRow } from "./rows.ts";
import { applyChanges, isDone } from "./transition.ts";
import type { Ledger, LedgerPayment, LedgerPlan, LedgerRow, StatusCount } from "./types.ts";

/** Opens the ledger of a database, which any number of machines share. */
export async function openPostgresLedger(url: string): Promise<Ledger> {
  const database = await openDatabase(url);
  try {
    await ensureTables(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return createPostgresLedger(database);
}

function createPostgresLedger(database: Database): Ledger {
  const { query, transaction } = database;

  async function getPlan(id: string): Promise<LedgerPlan | undefined> {
    const [row] = await query<PlanColumns>("select plan, state, loaded from keeplight.bulk_plan where id = $1", [id]);
    return row && toPlan(row);
  }

  return {
    place: database.place,
    getPlan,
    async addPlan({ folder: _, bytesToSend: __, ...plan }) {
      const values = [plan.id, JSON.stringify(plan)];
      await query("insert into keeplight.bulk_plan (id, plan) values ($1, $2) on conflict (id) do nothing", values);
      return (await getPlan(plan.id)) as LedgerPlan;
    },
    async listPlans() {
      return (await query<PlanColumns>("select plan, state, loaded from keeplight.bulk_plan order by id")).map(toPlan);
    },
    async setState(id, state) {
      // A plan that is cancelled stays so.
      await query("update keeplight.bulk_plan set state = $2 where id = $1 and state <> 'cancelled'", [id, state]);
    },
    async addBatch(id, batch, files) {
      await transaction(async (run) => {
        const added = await run(
          "insert into keeplight.bulk_batch (plan, batch, is_open) values ($1, $2, true) on conflict do nothing returning batch",
          [id, batch],
        );
        if (added.length > 0) await run(INSERT_FILES, [id, batch, JSON.stringify(files.map(toRow))]);
        await run("update keeplight.bulk_plan set loaded = greatest(loaded, $2) where id = $1", [id, batch + 1]);
      });
    },
    own: (id, batch) => database.lock(`keeplight bulk ${id} ${batch}`),
    async read(id, batch) {
      return (await query<FileColumns>(`${SELECT_FILES} order by index`, [id, batch])).map(toLedgerRow);
    },
    async change(id, batch, changes) {
      return transaction(async (run) => {
        const [plan] = await run<PlanColumns>("select plan, state, loaded from keeplight.bulk_plan where id = $1", [
          id,
        ]);
        // Changes of one batch wait for each other.
        await run("select 1 from keeplight.bulk_batch where plan = $1 and batch = $2 for update", [id, batch]);
        const rows = (await run<FileColumns>(`${SELECT_FILES} order by index`, [id, batch])).map(toLedgerRow);
        const changed = applyChanges(rows, changes);
        if (!changed || !plan) return undefined;
        const indexes = new Set(changes.map(({ index }) => index));
        const written = changed.filter(({ index }) => indexes.has(index));
        await run(UPDATE_FILES, [id, batch, JSON.stringify(written)]);
        const isOpen = changed.some((row) => !isDone(row, plan.plan.encrypted));
        await run("update keeplight.bulk_batch set is_open = $3 where plan = $1 and batch = $2", [id, batch, isOpen]);
        return changed;
      });
    },
    async listOpen(id, after, limit) {
      const text =
        "select batch from keeplight.bulk_batch where plan = $1 and is_open and batch > $2 order by batch limit $3";
      return (await query<{ batch: number }>(text, [id, after, limit])).map(({ batch }) => batch);
    },
    async count(id) {
      const counts = await query<CountColumns>(COUNT_FILES, [id]);
      return counts.map(({ files, bytes, status, is_set_aside }) => ({
        status,
        isSetAside: is_set_aside,
        files: Number(files),
        bytes: Number(bytes),
      }));
    },
    openJournalStore: async () => createPostgresStore(database),
    async startPayment(id, { journal }) {
      const insert = "insert into keeplight.bulk_payment (plan, journal) values ($1, $2) on conflict (plan) do nothing";
      await query(insert, [id, journal]);
      const select = "select journal, hash from keeplight.bulk_payment where plan = $1";
      const [payment] = await query<{ journal: string; hash: string | null }>(select, [id]);
      return toPayment(payment ?? { journal, hash: null });
    },
    async finishPayment(id, hash) {
      await query("update keeplight.bulk_payment set hash = $2 where plan = $1 and hash is null", [id, hash]);
    },
    close: () => database.close(),
  };
}

interface PlanColumns {
  plan: Omit<LedgerPlan, "state" | "loaded">;
  state: LedgerPlan["state"];
  loaded: number;
}

/** Numbers of 64 bits arrive as strings. */
interface FileColumns {
  index: number;
  path: string;
  size: string;
  mtime: string | null;
  sha256: string | null;
  status: LedgerRow["status"];
  cid: string | null;
  root: string | null;
  problem: LedgerRow["problem"] | null;
}

interface CountColumns extends Pick<StatusCount, "status"> {
  is_set_aside: boolean;
  files: string;
  bytes: string;
}

const SELECT_FILES = `select index, path, size, mtime, sha256, status, cid, root, problem
from keeplight.bulk_file where plan = $1 and batch = $2`;

const INSERT_FILES = `insert into keeplight.bulk_file (plan, batch, index, path, size, mtime, sha256, status)
select $1, $2, index, path, size, mtime, sha256, status from jsonb_to_recordset($3::jsonb)
as row (index integer, path text, size bigint, mtime bigint, sha256 text, status text)`;

const UPDATE_FILES = `update keeplight.bulk_file as file set status = row.status, cid = row.cid, root = row.root, problem = row.problem
from jsonb_to_recordset($3::jsonb) as row (index integer, status text, cid text, root text, problem jsonb)
where file.plan = $1 and file.batch = $2 and file.index = row.index`;

const COUNT_FILES = `select status, problem is not null as is_set_aside, count(*) as files, sum(size) as bytes
from keeplight.bulk_file where plan = $1 group by 1, 2`;

function toPlan({ plan, state, loaded }: PlanColumns): LedgerPlan {
  return { ...plan, state, loaded };
}

function toLedgerRow({ index, path, size, mtime, sha256, status, cid, root, problem }: FileColumns): LedgerRow {
  return {
    index,
    path,
    size: Number(size),
    ...(mtime === null ? {} : { mtime: Number(mtime) }),
    ...(sha256 === null ? {} : { sha256 }),
    status,
    ...(cid === null ? {} : { cid }),
    ...(root === null ? {} : { root }),
    ...(problem ? { problem } : {}),
  };
}

function toPayment({ journal, hash }: { journal: string; hash: string | null }): LedgerPayment {
  return { journal, ...(hash === null ? {} : { hash }) };
}
