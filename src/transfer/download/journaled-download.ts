import { partialFiles } from "#platform";
import type { JournalEntry } from "../../journal/entries.ts";
import { getRecorder } from "../../journal/handle.ts";
import type { PartialFile, SavedFile } from "../../platform/saved-file.ts";
import { pickOptions } from "../../validation/check-options.ts";
import type { KeptDownload, UnstartedDownload } from "./download-record.ts";
import { type JournaledDownload, keptDownloadNames } from "./kept-download.ts";

/**
 * Records a download, then runs it. What has arrived of the stored file stays beside the target in a partial file, which
 * the next call with the same content id and target continues. The operation stays open after an error if anything has
 * arrived.
 *
 * @throws `INVALID_OPTION`; `JOURNAL_ENTRY_BUSY` while another call or process runs it; `CANNOT_WRITE`; what `work` throws
 */
export async function runJournaledDownload(
  { kind, cid, journal, to, options }: UnstartedDownload,
  work: (kept: KeptDownload) => Promise<SavedFile>,
): Promise<SavedFile> {
  const recorder = getRecorder(journal);
  const files = partialFiles(to);
  const { path } = files;
  const kept = pickOptions(options, keptDownloadNames);
  const initial: JournaledDownload = { cid, path, options: kept, bytesDone: 0 };
  const entry = await recorder.open(kind, `${cid} ${path}`, initial);
  let partial: PartialFile | undefined;
  try {
    await entry.update({ options: kept });
    partial = await files.open(entry.id);
    const saved = await work(toKept(partial, entry));
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

function toKept(partial: PartialFile, entry: JournalEntry<JournaledDownload>): KeptDownload {
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
