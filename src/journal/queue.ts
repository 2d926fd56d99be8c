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
  /**
   * Adds uploads; nobody may be told that they wait before this resolves.
   *
   * @throws `CANNOT_WRITE`, `JOURNAL_CLOSED`
   */
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
