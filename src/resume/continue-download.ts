import { pickOptions } from "../base/operation.ts";
import type { Entry } from "../journal/entries.ts";
import type { JournalLike } from "../journal/handle.ts";
import { ownerCallSchema } from "../kavach/nodes/owner-call.ts";
import { callSchema } from "../options.ts";
import type { SavedFile } from "../platform/saved-file.ts";
import { type DecryptOptions, decryptOperation } from "../transfer/download/decrypt.ts";
import { downloadOperation } from "../transfer/download/download.ts";
import type { DownloadKind, DownloadState } from "../transfer/download/download-entry.ts";
import { mergeStoredOptions, type ResumingOptions } from "./resume-options.ts";

/** Completes a download: fetches what has not arrived yet. */
export async function continueDownload(
  journal: JournalLike,
  kind: DownloadKind,
  entry: Entry<DownloadState>,
  options: ResumingOptions,
): Promise<SavedFile> {
  const { cid, path, options: stored } = entry.state;
  const { onProgress } = options;
  const [operation, schema] =
    kind === "download" ? [downloadOperation, callSchema] : [decryptOperation, ownerCallSchema];
  const changed: object = { ...pickOptions(options, schema), onProgress };
  const merged = { ...mergeStoredOptions(stored, changed), to: path, journal } as DecryptOptions & { to: string };
  return operation.run(cid, merged, entry) as Promise<SavedFile>;
}
