import { partialFiles } from "#platform";
import type { KeptStart } from "../../blocks/kept-start.ts";
import type { EndpointOptions } from "../../config/endpoints.ts";
import type { Entry } from "../../journal/entries.ts";
import { getEntries, type JournalLike } from "../../journal/handle.ts";
import type { PartialFile, SavedFile } from "../../platform/saved-file.ts";
import { pickOptions } from "../../validation/check-options.ts";
import type { ResultSink } from "./output.ts";

/** The kinds of downloads in a journal. */
export type DownloadKind = "download" | "decrypt";

/** What a journal keeps of a download. */
export interface DownloadState {
  cid: string;
  /** Absolute path of the target. */
  path: string;
  /** Those that determine the result; a key only if the caller passed it, and nothing that authenticates. */
  options: {
    endpoints?: EndpointOptions | undefined;
    verifyCid?: boolean | undefined;
    chunkProfile?: string | undefined;
    key?: string | readonly string[] | undefined;
    strict?: boolean | undefined;
    commitment?: string | undefined;
    threshold?: number | undefined;
  };
  /** Bytes of the stored file that have arrived. */
  bytesDone: number;
  /** Of the stored file, in bytes, once it is known. */
  size?: number | undefined;
}

const storedOptionNames = "endpoints,verifyCid,chunkProfile,key,strict,commitment,threshold";

/** Whether operations of this kind are downloads. */
export function isDownloadKind(kind: string): kind is DownloadKind {
  return kind === "download" || kind === "decrypt";
}

/** Where a download keeps the stored file as it arrives. */
export interface PartialDownload extends KeptStart {
  /** Throws `JOURNAL_ENTRY_BUSY` if another process has taken over the download of one that was suspended. */
  confirm(): Promise<void>;
  /** The target of a file that is saved as it is stored: what is kept becomes that file. */
  asSink(): ResultSink;
}

/** A download of which nothing is fetched yet. */
interface UnstartedDownload {
  kind: DownloadKind;
  cid: string;
  journal: JournalLike;
  to: string | URL;
  options: object;
}

/**
 * Runs a download with an entry of the journal, a new one unless it continues one. What has arrived of the stored file stays beside the target in a partial file, which
 * the next call with the same content id and target continues. The operation stays open after an error if anything has
 * arrived.
 *
 * @throws `INVALID_OPTION`; `JOURNAL_ENTRY_BUSY` while another call or process runs it; `CANNOT_WRITE`; what `work` throws
 */
export async function runWithEntry(
  { kind, cid, journal, to, options }: UnstartedDownload,
  work: (partial: PartialDownload) => Promise<SavedFile>,
  earlier?: Entry<DownloadState>,
): Promise<SavedFile> {
  const files = partialFiles(to);
  const { path } = files;
  const stored = pickOptions(options, storedOptionNames);
  const initial: DownloadState = { cid, path, options: stored, bytesDone: 0 };
  const entry = earlier ?? (await getEntries(journal).open(kind, `${cid} ${path}`, initial));
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

function toPartialDownload(partial: PartialFile, entry: Entry<DownloadState>): PartialDownload {
  return {
    get size() {
      return partial.size;
    },
    read: partial.read,
    truncate: partial.truncate,
    expect(size) {
      if (entry.state.size !== size) entry.note({ size });
    },
    async write(chunk) {
      await partial.write(chunk);
      entry.note({ bytesDone: partial.size });
    },
    confirm: () => entry.update({ bytesDone: partial.size }),
    asSink: () => ({
      // It is written already.
      write: async () => undefined,
      reread: partial.read,
      restart: async () => undefined,
      abandon: async () => undefined,
      commit: partial.commit,
    }),
  };
}
