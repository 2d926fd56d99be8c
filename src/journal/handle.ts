import { reference } from "../base/checks.ts";
import type { OptionSchema } from "../base/operation.ts";
import type { KeeplightError } from "../errors/base.ts";
import { invalidOption } from "../errors/input.ts";
import type { JournalEntries, JournalEntry } from "./entries.ts";

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

/** Takes {@link JournalOptions}: a journal is recognised by what uses it. */
export const journalSchema = { journal: reference<JournalLike>() } satisfies OptionSchema<JournalOptions>;

export const journalOptionNames = "journal";

/** Records the operation that a call carries out. */
export interface Recorder extends Pick<JournalEntries, "acquire" | "list"> {
  /** Opens the operation of this kind with this name, or the one that the call continues. */
  open: JournalEntries["open"];
  /** Whether `start` returns the open operation that the call continues. */
  continues?: boolean;
  /** Records a new operation, or returns the open one that the call continues. */
  start: JournalEntries["start"];
  /** The upload that the call starts, if it waited in the journal. */
  queued?: QueuedStart;
}

/** An upload that leaves the queue of its journal once it has an entry of its own. */
interface QueuedStart {
  id: string;
  /** Returns whether it has left, as would be known after a crash; on a full disk it may not. Never fails. */
  leave(): Promise<boolean>;
}

const recorders = new WeakMap<object, Recorder>();
const journals = new WeakMap<object, JournalEntries>();

/** Makes calls that take `journal` record their operations in `entries`. */
export function registerJournal(journal: JournalLike, entries: JournalEntries): void {
  recorders.set(journal, entries);
  journals.set(journal, entries);
}

/** Returns all entries of a journal; throws `INVALID_OPTION` for anything that `openJournal` did not return. */
export function getEntries(journal: JournalLike): JournalEntries {
  const entries = journals.get(journal);
  if (!entries) throw invalidJournal();
  return entries;
}

/** Creates a stand-in for a journal, by which a call continues this operation instead of starting one. */
export function createContinuation(journal: JournalLike, entry: JournalEntry): JournalLike {
  const continuation = { place: journal.place };
  const { acquire, list } = getRecorder(journal);
  const recorder: Recorder = {
    continues: true,
    start: async <State>() => entry as JournalEntry<State>,
    open: async <State>() => entry as JournalEntry<State>,
    acquire,
    list,
  };
  recorders.set(continuation, recorder);
  return continuation;
}

/** Creates a stand-in for a journal, by which a call uploads what has waited in it. */
export function createQueuedStart(journal: JournalLike, queued: QueuedStart): JournalLike {
  const start = Object.freeze({ place: journal.place });
  recorders.set(start, { ...getRecorder(journal), queued });
  return start;
}

/** Returns the recorder of a journal; throws `INVALID_OPTION` for anything that `openJournal` did not return. */
export function getRecorder(journal: JournalLike): Recorder {
  const recorder = recorders.get(journal);
  if (!recorder) throw invalidJournal();
  return recorder;
}

/** The error for anything that `openJournal` did not return. */
export function invalidJournal(): KeeplightError {
  return invalidOption("journal", "what openJournal returned");
}
