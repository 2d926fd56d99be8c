import type { JournalEntry } from "../journal/entries.ts";
import { createContinuation, type JournalLike } from "../journal/handle.ts";
import { ownerCallNames } from "../kavach/nodes/owner-call.ts";
import { callOptionNames } from "../options.ts";
import type { SavedFile } from "../platform/saved-file.ts";
import { type DecryptOptions, decrypt } from "../transfer/download/decrypt.ts";
import { download } from "../transfer/download/download.ts";
import type { DownloadKind, JournaledDownload } from "../transfer/download/kept-download.ts";
import { pickOptions } from "../validation/check-options.ts";
import { mergeKept } from "./merge-kept.ts";
import type { ResumeOperationOptions } from "./resume-options.ts";

/** Completes a download: fetches what has not arrived yet. */
export async function continueDownload(
  journal: JournalLike,
  kind: DownloadKind,
  entry: JournalEntry<JournaledDownload>,
  options: ResumeOperationOptions,
): Promise<SavedFile> {
  const { cid, path, options: kept } = entry.state;
  const continuation = createContinuation(journal, entry);
  const changed = (names: Parameters<typeof pickOptions>[1]) => mergeKept(kept, pickOptions(options, names));
  if (kind === "download") {
    return download(cid, { ...changed([callOptionNames, "onProgress"]), to: path, journal: continuation });
  }
  const merged = changed([ownerCallNames, "onProgress"]) as DecryptOptions;
  return decrypt(cid, { ...merged, to: path, journal: continuation });
}
