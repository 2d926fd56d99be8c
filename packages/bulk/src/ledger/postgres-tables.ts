import type { Database } from "./postgres-connection.ts";

/** How long creating a table waits for those who write to another one, in milliseconds: they wait behind it meanwhile. */
const LOCK_TIMEOUT_MS = 5_000;

/** Name of the lock under which tables are created. */
const TABLES_LOCK = "keeplight bulk tables";

/**
 * Creates the tables of ledgers that a database does not have. Requires no lock, and only the right to read, if it has all of
 * them: creating what exists would wait for every open transaction, and new ones would wait behind it.
 *
 * @throws what the database refuses; `55P03` if a table that is missing cannot be created in time
 */
export async function ensureTables({ query, transaction }: Pick<Database, "query" | "transaction">): Promise<void> {
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
  // Later than the table.
  "keeplight.bulk_file.root": "alter table keeplight.bulk_file add column root text",
};
