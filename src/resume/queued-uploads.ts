import type { JournalEntries, JournalEntry, OpenRecord } from "../journal/entries.ts";
import { createQueuedStart, type JournalLike } from "../journal/handle.ts";
import { createId } from "../journal/ids.ts";
import {
  type JournalQueue,
  QUEUE_KIND,
  type QueuedBatch,
  type QueuedPlace,
  type QueuedUpload,
} from "../journal/queue.ts";
import { UPLOAD_KIND } from "../kavach/nodes/kept-upload.ts";
import { type JournaledUpload, runJournaled } from "../transfer/upload/journaled-upload.ts";
import { registerUploadRecorder } from "../transfer/upload/upload-record.ts";

/** How many files an entry has: it is written again for each of them that leaves. */
const FILES_PER_ENTRY = 200;

type ListedRecord = OpenRecord | { id: string; error: unknown };

export function createQueue(journal: JournalLike, entries: JournalEntries): JournalQueue {
  function createPlace(entry: JournalEntry<QueuedBatch>, id: string): QueuedPlace {
    const leave = () => remove(entry, id);
    const queued = createQueuedStart(journal, { id, leave });
    registerUploadRecorder(queued, (upload, work) => runJournaled(queued, upload, work));
    return { journal: queued, leave, release: entry.release };
  }

  return {
    async add(common, added) {
      const batches: QueuedBatch[] = [];
      let [last, count]: [QueuedUpload[], number] = [[], Number.POSITIVE_INFINITY];
      for (const { folder, files } of added) {
        if (folder !== undefined || count + files.length > FILES_PER_ENTRY) {
          [last, count] = [[], 0];
          batches.push({ ...common, folder, uploads: last });
        }
        last.push({ id: createId(), files });
        count = folder === undefined ? count + files.length : Number.POSITIVE_INFINITY;
      }
      const started = await Promise.allSettled(batches.map((batch) => entries.start(QUEUE_KIND, batch)));
      const failed = started.find((each) => each.status === "rejected");
      const recorded = started.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      if (!failed) return recorded.flatMap((entry) => entry.state.uploads.map(({ id }) => createPlace(entry, id)));
      for (const entry of recorded) await entry.complete();
      throw failed.reason;
    },
    async take(id, choose) {
      const entry = (await entries.acquire(id)) as JournalEntry<QueuedBatch>;
      try {
        const isThere = findQueued(await entries.list());
        const batch = { ...entry.state, uploads: entry.state.uploads.filter((upload) => isThere(id, upload)) };
        const chosen = choose(batch);
        const rest = batch.uploads.filter((_, at) => chosen[at] === undefined);
        const taken = batch.uploads.filter((_, at) => chosen[at] !== undefined);
        if (rest.length > 0) {
          const left = await entries.start<QueuedBatch>(QUEUE_KIND, { ...batch, uploads: rest });
          await left.release();
        }
        await entry.update({ uploads: taken });
        const uploads = taken.map((upload) => ({
          chosen: chosen[batch.uploads.indexOf(upload)] as NonNullable<(typeof chosen)[number]>,
          place: createPlace(entry, upload.id),
        }));
        return { batch, uploads };
      } catch (error) {
        await entry.release();
        throw error;
      }
    },
  };
}

/** Removes an upload from its entry, which ends with its last one. */
async function remove(entry: JournalEntry<QueuedBatch>, id: string): Promise<void> {
  const { uploads } = entry.state;
  const rest = uploads.filter((upload) => upload.id !== id);
  if (rest.length === 0) await entry.complete();
  // At worst it is offered again.
  else if (rest.length < uploads.length) await entry.update({ uploads: rest }).catch(() => undefined);
}

/**
 * Returns what tells whether an upload waits in an entry. A page that ended between two writes may have left it there,
 * although it has an entry of its own by now, or is in an older entry, too.
 */
export function findQueued(records: readonly ListedRecord[]): (entry: string, upload: QueuedUpload) => boolean {
  const places = new Map<string, string>();
  for (const record of records) {
    if (!("kind" in record)) continue;
    const { queued } = record.kind === UPLOAD_KIND ? (record.state as JournaledUpload) : {};
    if (queued !== undefined) places.set(queued, record.id);
  }
  for (const record of records) {
    if (!("kind" in record) || record.kind !== QUEUE_KIND) continue;
    for (const { id } of (record.state as QueuedBatch).uploads) if (!places.has(id)) places.set(id, record.id);
  }
  return (entry, { id }) => places.get(id) === entry;
}

/** Removes a started upload from the queue, if the page that started it has ended before it did. */
export async function leaveQueue(entries: JournalEntries, state: unknown): Promise<void> {
  const { queued } = state as Partial<JournaledUpload>;
  if (queued === undefined) return;
  for (const record of await entries.list()) {
    if (!("kind" in record) || record.kind !== QUEUE_KIND) continue;
    if (!(record.state as QueuedBatch).uploads.some(({ id }) => id === queued)) continue;
    // Whoever takes it meanwhile does the same.
    const entry = await entries.acquire(record.id).catch(() => undefined);
    if (!entry) continue;
    await remove(entry as JournalEntry<QueuedBatch>, queued);
    await entry.release();
  }
}
