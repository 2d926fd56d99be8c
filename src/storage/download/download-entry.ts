import { partialFiles } from "#platform";
import type { Operation } from "../../base/operation.ts";
import type { Entry } from "../../journal/entries.ts";
import { getEntries, type JournalLike } from "../../journal/handle.ts";
import type { PartialStart } from "../../network/blocks/output.ts";
import type { PartialFile, SavedFile } from "../../platform/types.ts";

// Loaded only by downloads with a journal.

export type DownloadKind = "download" | "decrypt";

export function isDownloadKind(kind: string): kind is DownloadKind {
  return kind === "download" || kind === "decrypt";
}

/** What the entry of a download keeps. */
export interface DownloadState {
  cid: string;
  /** Absolute path of the target. */
  path: string;
  options: { [Name in (typeof storedOptions)[number]]?: unknown };
  /** Bytes of the stored file that have arrived. */
  bytesDone: number;
  /** Of the stored file, in bytes, once it is known. */
  size?: number | undefined;
}

/** Those that determine the result; a key only if the caller passed it, and nothing that authenticates. */
const storedOptions = [
  "endpoints",
  "verifyCid",
  "chunkProfile",
  "key",
  "strict",
  "commitment",
  "threshold",
  "ownerAddress",
] as const;

/** Options of a download that may have an entry. */
export type EntryOptions = DownloadState["options"] & {
  to: string | URL | undefined;
  journal: JournalLike | undefined;
};

export type DownloadEntry = Entry<DownloadState>;

/** A download that a journal can continue. */
export interface DownloadOperation<Options> extends Operation<Options> {
  /** Downloads a file with resolved options, beside its start if that is kept. */
  fetch(cid: string, options: object, partial?: PartialDownload): Promise<unknown>;
}

/** The stored file of a download with an entry, as far as it has arrived. */
export interface PartialDownload extends PartialStart {
  /** Throws `JOURNAL_ENTRY_BUSY` if another process has taken over the download of one that was suspended. */
  confirm(): Promise<void>;
  /** Makes it the target, once all of it has arrived. */
  commit(): Promise<SavedFile>;
}

/**
 * Opens the entry of a download: a new one, or that of an earlier call with the same content id and target.
 *
 * @throws `INVALID_OPTION`; `JOURNAL_ENTRY_BUSY` while another call or process runs it
 */
export async function openDownloadEntry(
  journal: JournalLike,
  kind: DownloadKind,
  cid: string,
  to: string | URL,
): Promise<DownloadEntry> {
  const { path } = partialFiles(to);
  const initial: DownloadState = { cid, path, options: {}, bytesDone: 0 };
  return getEntries(journal).open(kind, `${cid} ${path}`, initial);
}

/**
 * Runs a download with its entry. What has arrived of the stored file stays beside the target in a partial file, which the
 * next call with the same content id and target continues. The entry stays open after an error if anything has arrived.
 *
 * @throws `CANNOT_WRITE`; what `work` throws
 */
export async function runWithEntry<File>(
  entry: DownloadEntry,
  options: EntryOptions,
  work: (partial: PartialDownload) => Promise<File>,
): Promise<File> {
  const files = partialFiles(entry.state.path);
  const stored = Object.fromEntries(storedOptions.map((name) => [name, options[name]]));
  let partial: PartialFile | undefined;
  try {
    await entry.update({ options: stored });
    partial = await files.open(entry.id);
    const saved = await work(toPartialDownload(partial, entry));
    await partial.close();
    // Of a decrypted file, the stored one.
    await files.remove(entry.id);
    await entry.complete();
    return saved;
  } catch (error) {
    // Nothing is written to it any more once another process may.
    await partial?.close();
    const bytesDone = partial?.size ?? entry.state.bytesDone;
    if (bytesDone > 0) {
      entry.note({ bytesDone });
      await entry.release();
    } else {
      await files.remove(entry.id).catch(() => undefined);
      await entry.complete();
    }
    throw error;
  }
}

function toPartialDownload(partial: PartialFile, entry: DownloadEntry): PartialDownload {
  return {
    ...partial,
    get size() {
      return partial.size;
    },
    expect(size) {
      if (entry.state.size !== size) entry.note({ size });
    },
    async write(chunk) {
      await partial.write(chunk);
      entry.note({ bytesDone: partial.size });
    },
    confirm: () => entry.update({ bytesDone: partial.size }),
  };
}
