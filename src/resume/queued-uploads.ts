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
import type { UploadState } from "../transfer/upload/journal-entry.ts";

/** How many files an entry has: it is written again for each of them that leaves. */
const FILES_PER_ENTRY = 200;

type ListedRecord = OpenRecord | { id: string; error: unknown };

export function createQueue(journal: JournalLike, entries: JournalEntries): JournalQueue {
  /** An entry is kept until its last upload has ended: one that runs may still be stored, and leave the queue. */
  function createPlaces(entry: JournalEntry<QueuedBatch>): QueuedPlace[] {
    const open = new Set(entry.state.uploads.map(({ id }) => id));
    return [...open].map((id) => {
      const release = async () => {
        open.delete(id);
        if (open.size === 0) await entry.release();
      };
      const leave = async () => {
        const hasLeft = await remove(entry, [id]).then(
          () => true,
          () => false,
        );
        await release();
        return hasLeft;
      };
      return { journal: createQueuedStart(journal, { id, leave }), leave, release };
    });
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
      if (!failed) return recorded.flatMap(createPlaces);
      for (const entry of recorded) await entry.complete();
      throw failed.reason;
    },
    async take(id, choose) {
      const entry = (await entries.acquire(id)) as JournalEntry<QueuedBatch>;
      try {
        const isThere = findQueued(await entries.list());
        const batch = { ...entry.state, uploads: entry.state.uploads.filter((upload) => isThere(id, upload)) };
        const chosen = await choose(batch);
        const rest = batch.uploads.filter((_, at) => chosen[at] === undefined);
        const taken = batch.uploads.filter((_, at) => chosen[at] !== undefined);
        await removeCopies(entries, entry);
        if (rest.length > 0) {
          const left = await entries.start<QueuedBatch>(QUEUE_KIND, { ...batch, uploads: rest });
          await left.release();
        }
        await entry.update({ uploads: taken });
        const sources = chosen.flatMap((each) => (each === undefined ? [] : [each as NonNullable<typeof each>]));
        const uploads = createPlaces(entry).map((place, at) => ({
          chosen: sources[at] as (typeof sources)[number],
          place,
        }));
        return { batch, uploads };
      } catch (error) {
        await entry.release();
        throw error;
      }
    },
  };
}

/** Removes uploads from their entry, which ends with its last one. Throws `CANNOT_WRITE`. */
async function remove(entry: JournalEntry<QueuedBatch>, ids: readonly string[]): Promise<void> {
  const { uploads } = entry.state;
  const rest = uploads.filter(({ id }) => !ids.includes(id));
  if (rest.length === 0) await entry.complete();
  else if (rest.length < uploads.length) await entry.update({ uploads: rest });
}

/**
 * Returns what tells whether an upload waits in an entry. A page that ended between two writes may have left it there,
 * although it has an entry of its own by now, or is in an older entry, too.
 */
export function findQueued(records: readonly ListedRecord[]): (entry: string, upload: QueuedUpload) => boolean {
  const places = new Map<string, string>();
  for (const record of records) {
    if (!("kind" in record)) continue;
    const { queued } = record.kind === UPLOAD_KIND ? (record.state as UploadState) : {};
    if (queued !== undefined) places.set(queued, record.id);
  }
  for (const record of records) {
    if (!("kind" in record) || record.kind !== QUEUE_KIND) continue;
    for (const { id } of (record.state as QueuedBatch).uploads) if (!places.has(id)) places.set(id, record.id);
  }
  return (entry, { id }) => places.get(id) === entry;
}

/**
 * Removes the uploads of an entry from the other entries of the queue: a started one, or those that wait. They are in two
 * if a page has ended between two writes.
 *
 * @throws `CANNOT_WRITE`
 */
export async function removeCopies(
  entries: JournalEntries,
  { id, kind, state }: Pick<OpenRecord, "id" | "kind" | "state">,
): Promise<void> {
  const { queued, uploads = [] } = state as Partial<UploadState & QueuedBatch>;
  if (queued === undefined && kind !== QUEUE_KIND) return;
  const records = await entries.list();
  const isThere = findQueued(records);
  const ids = queued === undefined ? uploads.filter((each) => isThere(id, each)).map((each) => each.id) : [queued];
  for (const record of records) {
    if (record.id === id || !("kind" in record) || record.kind !== QUEUE_KIND) continue;
    if (!(record.state as QueuedBatch).uploads.some((each) => ids.includes(each.id))) continue;
    // Whoever takes it meanwhile does the same.
    const entry = await entries.acquire(record.id).catch(() => undefined);
    if (!entry) continue;
    await remove(entry as JournalEntry<QueuedBatch>, ids).finally(entry.release);
  }
}
