/** Creates the tables of ledgers; may run any number of times, but not concurrently. */
export const createTables = `
create schema if not exists keeplight;
create table if not exists keeplight.bulk_plan (
  id text primary key,
  plan jsonb not null,
  state text not null default 'running',
  loaded integer not null default 0
);
create table if not exists keeplight.bulk_payment (
  plan text primary key references keeplight.bulk_plan (id),
  journal text not null,
  hash text
);
create table if not exists keeplight.bulk_batch (
  plan text not null references keeplight.bulk_plan (id),
  batch integer not null,
  is_open boolean not null,
  primary key (plan, batch)
);
create table if not exists keeplight.journal (
  only_row boolean primary key default true check (only_row),
  header bytea not null
);
create table if not exists keeplight.journal_entry (
  id text primary key,
  version bigint not null,
  sealed bytea not null
);
create index if not exists bulk_batch_open on keeplight.bulk_batch (plan, batch) where is_open;
create table if not exists keeplight.bulk_file (
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
) with (fillfactor = 70);
`;

/** Of the lock under which tables are created. */
export const TABLES_LOCK = "keeplight bulk tables";
