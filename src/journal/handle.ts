import { reference } from "../base/checks.ts";
import { invalidOption } from "../base/errors/input.ts";
import type { OptionSchema } from "../base/operation.ts";
import type { Entries } from "./entries.ts";
import type { JournalQueue } from "./queue.ts";

/** A journal, as calls take it: what `openJournal` returned. */
export interface JournalLike {
  /** The folder, or the name of the database, that it is kept in. */
  readonly place: string;
}

/** Options of calls that a journal records. */
export interface JournalOptions {
  /**
   * Keeps what is needed to finish the call if this process ends; see `openJournal`. A call that changes who may open a
   * file throws `JOURNAL_ENTRY_BUSY` while another process makes one that would undo it.
   *
   * @default none
   */
  journal?: JournalLike | undefined;
}

/** Checks {@link JournalOptions}. */
export const journalSchema = { journal: reference<JournalLike>() } satisfies OptionSchema<JournalOptions>;

/** What else calls use of a journal, besides its entries. */
export interface JournalEntries extends Entries {
  /** What waits in it to be uploaded. */
  queue?: JournalQueue;
  /** The upload that the call starts, if it waited in the journal. */
  queued?: QueuedStart;
}

/** An upload that leaves the queue of its journal once it has an entry of its own. */
interface QueuedStart {
  id: string;
  /** Returns whether it has left, as would be known after a crash; on a full disk it may not. Never fails. */
  leave(): Promise<boolean>;
}

/** Under which a journal carries its entries: the same for all copies of this package in a process. */
const ENTRIES = Symbol.for("keeplight.journal");

/** Makes a journal of an object: calls that take it as `journal` use these entries. Nothing of it changes any more. */
export function toJournal<Journal extends JournalLike>(journal: Journal, entries: JournalEntries): Journal {
  return Object.freeze(Object.defineProperty(journal, ENTRIES, { value: entries }));
}

/** Returns the entries of a journal; throws `INVALID_OPTION` for anything that `openJournal` did not return. */
export function getEntries(journal: JournalLike): JournalEntries {
  const entries = findEntries(journal);
  if (!entries) throw invalidOption("journal", "what openJournal returned");
  return entries;
}

/** Returns what waits in a journal to be uploaded, if anything can. */
export function getQueue(journal: JournalLike): JournalQueue | undefined {
  return findEntries(journal)?.queue;
}

function findEntries(journal: unknown): JournalEntries | undefined {
  return (Object(journal) as { [ENTRIES]?: JournalEntries })[ENTRIES];
}
