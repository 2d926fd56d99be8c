import type { JournalEntry } from "../journal/entries.ts";
import { createContinuation, type JournalLike } from "../journal/handle.ts";
import { ownerCallNames } from "../kavach/nodes/owner-call.ts";
import { callOptionNames } from "../options.ts";
import type { SavedFile } from "../platform/saved-file.ts";
import type { DecryptOptions, decrypt } from "../transfer/download/decrypt.ts";
import type { download } from "../transfer/download/download.ts";
import { registerDownloadRecorder } from "../transfer/download/download-record.ts";
import { runJournaledDownload } from "../transfer/download/journaled-download.ts";
import type { DownloadKind, JournaledDownload } from "../transfer/download/kept-download.ts";
import { pickOptions } from "../validation/check-options.ts";
import { mergeKept } from "./merge-kept.ts";
import type { ResumeOperationOptions } from "./resume-options.ts";

/** The calls that download. */
export interface Downloads {
  download: typeof download;
  decrypt: typeof decrypt;
}

/** Completes a download: fetches what has not arrived yet. */
export async function continueDownload(
  downloads: Downloads,
  journal: JournalLike,
  kind: DownloadKind,
  entry: JournalEntry<JournaledDownload>,
  options: ResumeOperationOptions,
): Promise<SavedFile> {
  const { cid, path, options: kept } = entry.state;
  const continuation = createContinuation(journal, entry);
  registerDownloadRecorder(continuation, runJournaledDownload);
  const changed = (names: Parameters<typeof pickOptions>[1]) => mergeKept(kept, pickOptions(options, names));
  if (kind === "download") {
    return downloads.download(cid, { ...changed([callOptionNames, "onProgress"]), to: path, journal: continuation });
  }
  const merged = changed([ownerCallNames, "onProgress"]) as DecryptOptions;
  return downloads.decrypt(cid, { ...merged, to: path, journal: continuation });
}
