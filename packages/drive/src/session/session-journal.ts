import { type Journal, openJournal } from "keeplight";
import { DRIVE_CHANGE_KIND, type Entries, getEntries, toJournal } from "keeplight/parts";

/** The journal of an account in this browser. */
export interface SessionJournal {
  /** For the calls of the session: once that has ended, nothing of it is read or started. */
  journal: Journal;
  /** Counts what is not complete, and whether the drive has changes that nothing else knows. */
  countOpen(): Promise<{ operations: number; unsaved: boolean }>;
  entries: Entries;
}

/**
 * Opens the journal of an account.
 *
 * @param name - of its database
 * @param assertActive - throws once the session has ended
 */
export async function openSessionJournal(name: string, assertActive: () => void): Promise<SessionJournal> {
  const opened = await openJournal({ name });
  const entries = getEntries(opened);
  const gated = Object.entries(opened).map(([name, value]: [string, unknown]) => {
    if (typeof value !== "function") return [name, value];
    const call = async (...given: readonly unknown[]) => {
      assertActive();
      return value(...given) as unknown;
    };
    return [name, call];
  });
  const journal = toJournal(Object.fromEntries(gated) as Journal, {
    ...entries,
    async acquire(id) {
      assertActive();
      return entries.acquire(id);
    },
    async start(kind, state, options) {
      assertActive();
      return entries.start(kind, state, options);
    },
    async open(kind, entryName, initial) {
      assertActive();
      return entries.open(kind, entryName, initial);
    },
  });
  return {
    journal,
    entries,
    async countOpen() {
      const all = await entries.list();
      const unsaved = all.some((each) => "kind" in each && each.kind === DRIVE_CHANGE_KIND);
      return { operations: (await opened.list()).length, unsaved };
    },
  };
}

/** Deletes the database of a journal; other pages that have it open find it closed. */
export function deleteJournal(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const deleting = indexedDB.deleteDatabase(name);
    deleting.onsuccess = () => resolve();
    // It is deleted once the page that still has it open lets go of it.
    deleting.onblocked = () => resolve();
    deleting.onerror = () => reject(deleting.error);
  });
}
