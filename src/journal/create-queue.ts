import { createId } from "../base/streams/bytes.ts";
import type { Entries, Entry, EntryData, UnreadableEntry } from "./entries.ts";
import { type JournalQueue, type QueuedBatch, type QueuedPlace, type QueuedUpload, toJournal } from "./handle.ts";
import { QUEUE_KIND, UPLOAD_KIND } from "./operations.ts";

/** How many files an entry has: it is written again for each of them that leaves. */
const FILES_PER_ENTRY = 200;

/** What the entry of an upload keeps of its time in the queue. */
interface StartedUpload {
  /** The id that it had there. */
  queued?: string | undefined;
}

export function createQueue(place: string, entries: Entries): JournalQueue {
  /** An entry is kept until its last upload has ended: one that runs may still be stored, and leave the queue. */
  function createPlaces(entry: Entry<QueuedBatch>): QueuedPlace[] {
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
      return { journal: toJournal({ place }, { ...entries, queued: { id, leave } }), leave, release };
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
      const fulfilled = started.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      if (!failed) return fulfilled.flatMap(createPlaces);
      for (const entry of fulfilled) await entry.complete();
      throw failed.reason;
    },
    async take(id, choose) {
      const entry = (await entries.acquire(id)) as Entry<QueuedBatch>;
      try {
        const isThere = findQueued(await entries.list());
        const batch = { ...entry.state, uploads: entry.state.uploads.filter((upload) => isThere(id, upload)) };
        const chosen = await choose(batch);
        const rest = batch.uploads.filter((_, at) => chosen[at] === undefined);
        const taken = batch.uploads.flatMap((upload, at) => {
          const own = chosen[at];
          return own === undefined ? [] : [{ upload, chosen: own }];
        });
        await removeCopies(entries, entry);
        if (rest.length > 0) {
          const left = await entries.start<QueuedBatch>(QUEUE_KIND, { ...batch, uploads: rest });
          await left.release();
        }
        await entry.update({ uploads: taken.map(({ upload }) => upload) });
        const places = createPlaces(entry);
        return { batch, uploads: taken.map((each, at) => ({ chosen: each.chosen, place: places[at] as QueuedPlace })) };
      } catch (error) {
        await entry.release();
        throw error;
      }
    },
  };
}

/** Removes uploads from their entry, which ends with its last one. Throws `CANNOT_WRITE`. */
async function remove(entry: Entry<QueuedBatch>, ids: readonly string[]): Promise<void> {
  const { uploads } = entry.state;
  const rest = uploads.filter(({ id }) => !ids.includes(id));
  if (rest.length === 0) await entry.complete();
  else if (rest.length < uploads.length) await entry.update({ uploads: rest });
}

/**
 * Returns a check of whether an upload waits in an entry. A page that ended between two writes may have left it there,
 * although it has an entry of its own by now, or is in an older entry, too.
 */
export function findQueued(
  all: readonly (EntryData | UnreadableEntry)[],
): (entry: string, upload: QueuedUpload) => boolean {
  const places = new Map<string, string>();
  const readable = all.flatMap((each) => ("kind" in each ? [each] : []));
  for (const { id, kind, state } of readable) {
    const { queued } = kind === UPLOAD_KIND ? (state as StartedUpload) : {};
    if (queued !== undefined) places.set(queued, id);
  }
  for (const entry of readable) {
    if (entry.kind !== QUEUE_KIND) continue;
    for (const { id } of (entry.state as QueuedBatch).uploads) if (!places.has(id)) places.set(id, entry.id);
  }
  return (entry, { id }) => places.get(id) === entry;
}

/**
 * Removes the uploads of an entry from the other entries of the queue: a started one, or those that wait. They are in two
 * if a page has ended between two writes. Throws `CANNOT_WRITE`.
 */
export async function removeCopies(
  entries: Entries,
  { id, kind, state }: Pick<EntryData, "id" | "kind" | "state">,
): Promise<void> {
  const { queued, uploads = [] } = state as Partial<StartedUpload & QueuedBatch>;
  if (queued === undefined && kind !== QUEUE_KIND) return;
  const all = await entries.list();
  const isThere = findQueued(all);
  const ids = queued === undefined ? uploads.filter((each) => isThere(id, each)).map((each) => each.id) : [queued];
  for (const other of all) {
    if (other.id === id || !("kind" in other) || other.kind !== QUEUE_KIND) continue;
    if (!(other.state as QueuedBatch).uploads.some((each) => ids.includes(each.id))) continue;
    // Whoever takes it meanwhile does the same.
    const entry = await entries.acquire(other.id).catch(() => undefined);
    if (!entry) continue;
    await remove(entry as Entry<QueuedBatch>, ids).finally(entry.release);
  }
}
