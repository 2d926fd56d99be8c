import type { KeptStart } from "../../blocks/kept-start.ts";
import { invalidJournal, type JournalLike } from "../../journal/handle.ts";
import type { SavedFile } from "../../platform/saved-file.ts";
import type { DownloadKind } from "./kept-download.ts";
import type { ResultSink } from "./output.ts";

/** Where a download keeps the stored file as it arrives. */
export interface KeptDownload extends KeptStart {
  /** Throws `JOURNAL_ENTRY_BUSY` if another process has taken over the download of one that was suspended. */
  confirm(): Promise<void>;
  /** The target of a file that is saved as it is stored: what is kept becomes that file. */
  asSink(): ResultSink;
}

/** A download of which nothing is fetched yet. */
export interface UnstartedDownload {
  kind: DownloadKind;
  cid: string;
  journal: JournalLike;
  to: string | URL;
  options: object;
}

/** Records a download, then runs it. */
export type DownloadRecorder = (
  download: UnstartedDownload,
  work: (kept: KeptDownload) => Promise<SavedFile>,
) => Promise<SavedFile>;

// Registered by what opens journals, so that a page that opens none does not load what records downloads.
const downloadRecorders = new WeakMap<JournalLike, DownloadRecorder>();

/** Makes downloads with this journal record their progress by `recorder`. */
export function registerDownloadRecorder(journal: JournalLike, recorder: DownloadRecorder): void {
  downloadRecorders.set(journal, recorder);
}

/** Returns what records downloads in a journal; throws `INVALID_OPTION` for anything that `openJournal` did not return. */
export function getDownloadRecorder(journal: JournalLike): DownloadRecorder {
  const recorder = downloadRecorders.get(journal);
  if (!recorder) throw invalidJournal();
  return recorder;
}
