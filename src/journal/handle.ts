import { invalidOption } from "../base/errors/input.ts";
import { type OptionSchema, reference } from "../base/operation.ts";
import type { Entries } from "./entries.ts";

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

/** A file that waits, by what it is recognised when it is passed again. */
interface QueuedFile {
  /** With its folders, if it is in some. */
  name: string;
  size?: number | undefined;
  lastModified?: number | undefined;
}

/** One upload that waits: of a file, or of several together. */
export interface QueuedUpload {
  /** Random. It stays the same in another entry, and in that of the upload once it has started. */
  id: string;
  files: readonly QueuedFile[];
}

/** What an entry keeps. */
export interface QueuedBatch {
  /** Which list they wait in. */
  list: unknown;
  /** Address of the account, if it is known. */
  account?: string | undefined;
  /** Of each upload. */
  options: object;
  /** If it is one upload, of a folder: its name. */
  folder?: string | undefined;
  uploads: readonly QueuedUpload[];
}

/** The place of one upload in the queue of this page. Its functions never fail. */
export interface QueuedPlace {
  /** For the call that encrypts and uploads it: once that has an entry of its own, the upload leaves the queue. */
  journal: { readonly place: string };
  /** It is stored, or removed by its user. */
  leave(): Promise<unknown>;
  /** Leaves it to another page. */
  release(): Promise<void>;
}

/** What waits to be uploaded, kept by a journal. */
export interface JournalQueue {
  /** Adds uploads; show them as waiting only once this has resolved. Throws `CANNOT_WRITE`, `JOURNAL_CLOSED`. */
  add(
    common: Pick<QueuedBatch, "list" | "account" | "options">,
    uploads: readonly (Pick<QueuedBatch, "folder"> & { files: readonly QueuedFile[] })[],
  ): Promise<QueuedPlace[]>;
  /**
   * Takes uploads of an entry that nobody works on: those for which `choose` returns a value; it may throw. The others
   * wait in an entry of their own.
   *
   * @throws `JOURNAL_ENTRY_UNKNOWN`, `JOURNAL_ENTRY_BUSY`, `JOURNAL_DAMAGED`, `CANNOT_WRITE`
   */
  take<Chosen>(
    id: string,
    choose: (batch: QueuedBatch) => (Chosen | undefined)[] | Promise<(Chosen | undefined)[]>,
  ): Promise<TakenUploads<Chosen>>;
}

/** Uploads of one entry that this page uploads now. */
interface TakenUploads<Chosen> {
  batch: QueuedBatch;
  uploads: { chosen: Chosen; place: QueuedPlace }[];
}
