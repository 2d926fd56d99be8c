import {
  applyChanges,
  isDone,
  type Ledger,
  type LedgerPayment,
  type LedgerPlan,
  type LedgerRow,
  type SentFolder,
  type StatusCount,
  toRow,
} from "./ledger.ts";
import { type Database, openDatabase } from "./postgres-connection.ts";
import { createPostgresStore } from "./postgres-journal.ts";

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
    return (await select<LedgerPlan>(query, `${SELECT_PLANS} where id = $1`, [id]))[0];
  }

  return {
    place: database.place,
    getPlan,
    async addPlan({ folder: _, bytesToSend: __, ...plan }) {
      const values = [plan.id, JSON.stringify(plan)];
      await query("insert into keeplight.bulk_plan (id, plan) values ($1, $2) on conflict (id) do nothing", values);
      return (await getPlan(plan.id)) as LedgerPlan;
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
    read: (id, batch) => select<LedgerRow>(query, SELECT_FILES, [id, batch]),
    async change(id, batch, changes) {
      return transaction(async (run) => {
        const [plan] = await select<LedgerPlan>(run, `${SELECT_PLANS} where id = $1`, [id]);
        // Changes of one batch wait for each other.
        await run("select 1 from keeplight.bulk_batch where plan = $1 and batch = $2 for update", [id, batch]);
        const changed = applyChanges(await select<LedgerRow>(run, SELECT_FILES, [id, batch]), changes);
        if (!changed || !plan) return undefined;
        const indexes = new Set(changes.map(({ index }) => index));
        const written = changed.filter(({ index }) => indexes.has(index));
        await run(UPDATE_FILES, [id, batch, JSON.stringify(written)]);
        const isOpen = changed.some((row) => !isDone(row, plan.encrypted));
        const isSent = changed.some(({ status }) => status === "sent");
        await run(UPDATE_BATCH, [id, batch, isOpen, isSent]);
        return changed;
      });
    },
    async setSent(id, batch, sent) {
      const update = "update keeplight.bulk_batch set sent = $3 where plan = $1 and batch = $2";
      await query(update, [id, batch, JSON.stringify(sent)]);
    },
    getSent: async (id, batch) => (await select<SentFolder | null>(query, SELECT_SENT, [id, batch]))[0] ?? undefined,
    listOpen: (id, after, limit) => select<number>(query, SELECT_OPEN, [id, after, limit]),
    count: (id) => query<StatusCount>(COUNT_FILES, [id]),
    openJournalStore: async () => createPostgresStore(database),
    async startPayment(id, { journal }) {
      const insert = "insert into keeplight.bulk_payment (plan, journal) values ($1, $2) on conflict (plan) do nothing";
      await query(insert, [id, journal]);
      return (await select<LedgerPayment>(query, SELECT_PAYMENT, [id]))[0] ?? { journal };
    },
    async finishPayment(id, hash) {
      await query("update keeplight.bulk_payment set hash = $2 where plan = $1 and hash is null", [id, hash]);
    },
    close: () => database.close(),
  };
}

async function select<Value>(query: Database["query"], text: string, values?: readonly unknown[]): Promise<Value[]> {
  return (await query<{ value: Value }>(text, values)).map(({ value }) => value);
}

const SELECT_PLANS = `select plan || jsonb_build_object('state', state, 'loaded', loaded) as value
from keeplight.bulk_plan`;

const SELECT_OPEN = `select batch as value from keeplight.bulk_batch
where plan = $1 and is_open and batch > $2 order by batch limit $3`;

const UPDATE_BATCH = `update keeplight.bulk_batch set is_open = $3, sent = case when $4 then sent end
where plan = $1 and batch = $2`;

const SELECT_SENT = "select sent as value from keeplight.bulk_batch where plan = $1 and batch = $2";

const SELECT_PAYMENT = `select jsonb_strip_nulls(jsonb_build_object('journal', journal, 'hash', hash)) as value
from keeplight.bulk_payment where plan = $1`;

const SELECT_FILES = `select jsonb_strip_nulls(to_jsonb(file) - 'plan' - 'batch') as value
from keeplight.bulk_file as file where plan = $1 and batch = $2 order by index`;

const INSERT_FILES = `insert into keeplight.bulk_file (plan, batch, index, path, size, mtime, sha256, status)
select $1, $2, index, path, size, mtime, sha256, status from jsonb_to_recordset($3::jsonb)
as row (index integer, path text, size bigint, mtime bigint, sha256 text, status text)`;

const UPDATE_FILES = `update keeplight.bulk_file as file set status = row.status, cid = row.cid, root = row.root, problem = row.problem
from jsonb_to_recordset($3::jsonb) as row (index integer, status text, cid text, root text, problem jsonb)
where file.plan = $1 and file.batch = $2 and file.index = row.index`;

// Other numbers of 64 bits arrive as strings.
const COUNT_FILES = `select status, problem is not null as "isSetAside", count(*)::float8 as files, sum(size)::float8 as bytes
from keeplight.bulk_file where plan = $1 group by 1, 2`;

/** How long creating a table waits for those who write to another one, in milliseconds: they wait behind it meanwhile. */
const LOCK_TIMEOUT_MS = 5_000;

const TABLES_LOCK = "keeplight bulk tables";

/**
 * Creates the tables of ledgers that a database does not have. Requires no lock, and only the right to read, if it has all of
 * them: creating what exists would wait for every open transaction, and new ones would wait behind it.
 *
 * @throws what the database refuses; `55P03` if a table that is missing cannot be created in time
 */
async function ensureTables({ query, transaction }: Pick<Database, "query" | "transaction">): Promise<void> {
  if ((await listMissing(query)).length === 0) return;
  await transaction(async (run) => {
    await run(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await run("select pg_advisory_xact_lock(hashtextextended($1, 0))", [TABLES_LOCK]);
    // Another process may have created them meanwhile.
    for (const name of await listMissing(run)) await run(CREATE[name] ?? "");
  });
}

/** Lists the schema, the tables, the columns and the indexes that do not exist, in the order in which they are created. */
async function listMissing(query: Database["query"]): Promise<string[]> {
  return (await query<{ name: string }>(SELECT_MISSING, [Object.keys(CREATE)])).map(({ name }) => name);
}

// The catalog itself: functions such as to_regclass may not see what another transaction has just created.
const SELECT_MISSING = `select name from unnest($1::text[]) with ordinality as object (name, position)
where name not in (
  select nspname from pg_catalog.pg_namespace
  union all
  select nspname || '.' || relname from pg_catalog.pg_class
  join pg_catalog.pg_namespace as namespace on namespace.oid = relnamespace where nspname = 'keeplight'
  union all
  select nspname || '.' || relname || '.' || attname from pg_catalog.pg_attribute
  join pg_catalog.pg_class as class on class.oid = attrelid
  join pg_catalog.pg_namespace as namespace on namespace.oid = relnamespace where nspname = 'keeplight'
)
order by position`;

/** Creates each object; those that refer to others are behind them. */
const CREATE: Readonly<Record<string, string>> = {
  keeplight: "create schema keeplight",
  "keeplight.bulk_plan": `create table keeplight.bulk_plan (
  id text primary key,
  plan jsonb not null,
  state text not null default 'running',
  loaded integer not null default 0
)`,
  "keeplight.bulk_payment": `create table keeplight.bulk_payment (
  plan text primary key references keeplight.bulk_plan (id),
  journal text not null,
  hash text
)`,
  "keeplight.bulk_batch": `create table keeplight.bulk_batch (
  plan text not null references keeplight.bulk_plan (id),
  batch integer not null,
  is_open boolean not null,
  primary key (plan, batch)
)`,
  "keeplight.bulk_batch_open": "create index bulk_batch_open on keeplight.bulk_batch (plan, batch) where is_open",
  "keeplight.journal": `create table keeplight.journal (
  only_row boolean primary key default true check (only_row),
  header bytea not null
)`,
  "keeplight.journal_entry": `create table keeplight.journal_entry (
  id text primary key,
  version bigint not null,
  sealed bytea not null
)`,
  "keeplight.bulk_file": `create table keeplight.bulk_file (
  plan text not null,
  batch integer not null,
  index integer not null,
  path text not null,
  size bigint not null,
  mtime bigint,
  sha256 text,
  status text not null,
  cid text,
  problem jsonb,
  primary key (plan, batch, index),
  foreign key (plan, batch) references keeplight.bulk_batch (plan, batch)
) with (fillfactor = 70)`,
  // Later than their tables.
  "keeplight.bulk_file.root": "alter table keeplight.bulk_file add column root text",
  "keeplight.bulk_batch.sent": "alter table keeplight.bulk_batch add column sent jsonb",
};
