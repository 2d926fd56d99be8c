import { KeeplightError } from "keeplight";
import { entryBusy, type JournalStore, wait } from "keeplight/parts";
import type { Database } from "./postgres-connection.ts";

/** Name of the lock under which the description of the journal is created or replaced. */
const JOURNAL_LOCK = "keeplight journal";
const LOCK_POLL_MS = 50;
/** How long another process may change the description, in milliseconds. */
const LOCK_WAIT_MS = 90_000;

/** The versions of an entry that was removed are not those of the next one with its id. */
const INSERT_ENTRY = `insert into keeplight.journal_entry (id, version, sealed) values ($1, floor(random() * 1e15), $2)
on conflict (id) do nothing returning version`;
const UPDATE_ENTRY = `update keeplight.journal_entry set version = version + 1, sealed = $2
where id = $1 and version = $3 returning version`;

/**
 * Keeps a journal in a database, for any number of machines. All that it holds is sealed by a key that the database does not
 * have. Entries have no locks: the owner of a batch owns its entry, and an entry that another process has changed since it was
 * read is not written.
 */
export function createPostgresStore({ place, query, lock }: Database): JournalStore {
  async function readEntry(id: string) {
    const text = "select version, sealed from keeplight.journal_entry where id = $1";
    return (await query<{ version: string; sealed: Uint8Array }>(text, [id]))[0];
  }

  return {
    place,
    async readHeader() {
      const [row] = await query<{ header: Uint8Array }>("select header from keeplight.journal");
      return row && new Uint8Array(row.header);
    },
    async writeHeader(header) {
      const text = `insert into keeplight.journal (header) values ($1)
on conflict (only_row) do update set header = excluded.header`;
      await query(text, [header]);
    },
    async machineKey() {
      const advice = "pass unlock with an identity or a passphrase";
      throw new KeeplightError("UNSUPPORTED", `A journal in a database has no key of a machine: ${advice}`);
    },
    removeMachineKey: async () => undefined,
    async exclusively(work) {
      let ownership = await lock(JOURNAL_LOCK);
      const until = performance.now() + LOCK_WAIT_MS;
      while (!ownership) {
        if (performance.now() > until) throw journalBusy(place);
        await wait(LOCK_POLL_MS, undefined);
        ownership = await lock(JOURNAL_LOCK);
      }
      try {
        return await work();
      } finally {
        await ownership.release();
      }
    },
    async list() {
      return (await query<{ id: string }>("select id from keeplight.journal_entry")).map(({ id }) => id);
    },
    async read(id) {
      const entry = await readEntry(id);
      return entry && new Uint8Array(entry.sealed);
    },
    async own(id, expected) {
      const entry = expected === "new" ? undefined : await readEntry(id);
      if (expected === "existing" && !entry) return undefined;
      let version = entry?.version;
      return {
        async write(sealed) {
          const [text, values] = version === undefined ? [INSERT_ENTRY, []] : [UPDATE_ENTRY, [version]];
          const [written] = await query<{ version: string }>(text, [id, sealed, ...values]);
          if (!written) throw entryBusy(id);
          version = written.version;
        },
        async remove() {
          if (version === undefined) return;
          await query("delete from keeplight.journal_entry where id = $1 and version = $2", [id, version]);
        },
        release: async () => undefined,
      };
    },
    listOwned: async () => new Map(),
  };
}

function journalBusy(place: string): KeeplightError {
  const message = "Another process goes on changing how the journal is opened: try again once it is done";
  return new KeeplightError("JOURNAL_BUSY", message, { details: { place } });
}
