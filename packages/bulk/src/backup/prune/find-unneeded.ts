import { type BearerOptions, isKeeplightError, iterateFiles, type ListedFile, listFolder } from "keeplight";
import { bearerSchema, callSchema, mapInOrder, pickOptions } from "keeplight/parts";
import type { ResolvedAccount } from "../backup-options.ts";
import type { BackupSet, StoredSnapshot } from "../set/backup-set.ts";
import { readRun, toPlaces } from "../set/run.ts";
import { withSnapshot } from "../snapshot/open-snapshot.ts";
import { parseStoredName } from "../snapshot/stored-names.ts";
import { addIndex, addSnapshot, type ContentIds, createContentIds } from "./find-needed.ts";

/** What an account has stored under a name of a set. */
export type StoredEntry = Pick<ListedFile, "id" | "cid" | "fileName" | "fileSizeInBytes">;

/** What pruning deletes. */
export interface Unneeded {
  /** The snapshots that are kept, oldest first. */
  kept: StoredSnapshot[];
  /** Content ids of snapshots that are to be deleted, also of those that are already. */
  doomed: string[];
  /** What the account has of those. */
  snapshots: StoredEntry[];
  /** Batches that have no file which is still required. */
  batches: StoredEntry[];
}

/**
 * Finds what only snapshots have that are not among the newest ones. Reads every snapshot that is kept, and the entries of all
 * batches; changes nothing.
 *
 * @param state - its folder
 * @param keep - how many of the newest snapshots are kept
 * @throws what reading the snapshots throws
 */
export async function findUnneeded(
  set: BackupSet,
  { state, keep, ...account }: ResolvedAccount & { state: string; keep: number },
): Promise<Unneeded> {
  const kept = set.snapshots.slice(-keep);
  const oldest = kept[0]?.createdAt ?? 0;
  const bearer = pickOptions(account, bearerSchema) as BearerOptions;
  const places = toPlaces(state);
  const stored = await listOwn(set.id, bearer);
  const needed = createContentIds();
  await addIndex(needed, places.index);
  // Those that only the account knows were stored by a machine with a later state, or right before a process ended: they are
  // kept until they are older than all that this machine keeps.
  const isKept = (cid: string) => kept.some((each) => each.cid === cid);
  const old = stored.snapshots.filter(({ cid, createdAt }) => createdAt < oldest && !isKept(cid));
  const superseded = [...set.snapshots.slice(0, -keep), ...old];
  const doomed = [...new Set([...(set.doomed ?? []), ...superseded.map(({ cid }) => cid)])];
  const others = stored.snapshots.map(({ cid }) => cid).filter((cid) => !doomed.includes(cid));
  for (const cid of new Set([...kept.map((each) => each.cid), ...others])) {
    await withSnapshot(cid, account, (snapshot) => addSnapshot(needed, snapshot));
  }
  const unfinished = await readRun(places);
  const batches = stored.batches.filter(({ run }) => run !== unfinished?.id);
  return {
    kept,
    doomed,
    snapshots: stored.snapshots.filter(({ cid }) => doomed.includes(cid)),
    batches: await filterUnneeded(batches, needed, bearer),
  };
}

/** Lists what the account has of a set. */
async function listOwn(set: string, bearer: BearerOptions) {
  const snapshots: (StoredEntry & { createdAt: number })[] = [];
  const batches: (StoredEntry & { run: string })[] = [];
  for await (const { id, cid, fileName, fileSizeInBytes } of iterateFiles({
    ...bearer,
    maxRows: Number.MAX_SAFE_INTEGER,
  })) {
    const name = parseStoredName(fileName ?? "");
    if (name?.set !== set || id === "") continue;
    const entry = { id, cid, fileName, fileSizeInBytes };
    if (name.run === undefined) snapshots.push({ ...entry, createdAt: name.createdAt ?? Number.POSITIVE_INFINITY });
    else batches.push({ ...entry, run: name.run });
  }
  return { snapshots, batches };
}

/** Batches whose entries are read concurrently. */
const LISTED_AT_ONCE = 8;

/** Returns the batches that have no file which is needed, by their own verified entries. */
async function filterUnneeded(
  batches: readonly StoredEntry[],
  needed: ContentIds,
  bearer: BearerOptions,
): Promise<StoredEntry[]> {
  const options = { ...pickOptions(bearer, callSchema), maxRows: Number.MAX_SAFE_INTEGER };

  async function isNeeded(cid: string): Promise<boolean> {
    try {
      for await (const entry of listFolder(cid, options)) if (needed.has(entry.cid)) return true;
      return false;
    } catch (error) {
      // One that cannot be read stays until it can.
      if (!isKeeplightError(error) || isKeeplightError(error, "ABORTED")) throw error;
      return true;
    }
  }

  const unneeded: StoredEntry[] = [];
  const checked = mapInOrder(batches, { limit: LISTED_AT_ONCE, signal: bearer.signal }, async (batch) =>
    (await isNeeded(batch.cid)) ? undefined : batch,
  );
  for await (const batch of checked) if (batch) unneeded.push(batch);
  return unneeded;
}
