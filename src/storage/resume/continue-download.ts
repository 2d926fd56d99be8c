import { pickOptions, resolveOptions } from "../../base/operation.ts";
import type { SavedFile } from "../../platform/saved-file.ts";
import { decryptOperation } from "../download/decrypt.ts";
import { downloadOperation } from "../download/download.ts";
import type { DownloadEntry, DownloadKind } from "../download/download-entry.ts";
import { mergeStoredOptions, type ResumingOptions } from "./resume-options.ts";

/** Completes a download: fetches what has not arrived yet. */
export async function continueDownload(
  kind: DownloadKind,
  entry: DownloadEntry,
  changed: ResumingOptions,
): Promise<SavedFile> {
  const { cid, path, options } = entry.state;
  const { options: schema, run } = kind === "download" ? downloadOperation : decryptOperation;
  const merged = { ...mergeStoredOptions(options, pickOptions(changed, schema)), to: path };
  return (await run(cid, resolveOptions(schema, merged) as never, entry)) as SavedFile;
}
