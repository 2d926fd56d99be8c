import { mapInOrder } from "../../async/map-in-order.ts";
import { isKeeplightError } from "../../errors/base.ts";
import { invalidOption } from "../../errors/input.ts";
import { deleteFile } from "../../files/delete.ts";
import { iterateFiles, type ListedFile } from "../../files/list.ts";
import { resolveOwner } from "../../kavach/auth/owner.ts";
import { type RecoverFileKeyOptions, recoverFileKeyNames } from "../../kavach/keys/recover-file-key.ts";
import { resolveKeyNodes } from "../../kavach/nodes/node-client.ts";
import { type BearerOptions, bearerOptionNames } from "../../options.ts";
import { loadOnDemand } from "../../transfer/load-on-demand.ts";
import { checkOptions, pickOptions } from "../../validation/check-options.ts";
import { wholeNumber } from "../../validation/number.ts";
import { type BackupAccount, backupAccountNames } from "../backup-options.ts";
import { type BackupSet, type OwnedSet, refuseOtherOwner, withSet } from "../set/backup-set.ts";
import { readRun, toPlaces } from "../set/run.ts";
import { withSnapshot } from "../snapshot/open-snapshot.ts";
import { parseStoredName } from "../snapshot/stored-names.ts";
import { addIndex, addSnapshot, type ContentIds, createContentIds } from "./find-needed.ts";

/** Options of {@link pruneSnapshots}. */
export type PruneOptions = BackupAccount & {
  /** Folder with the state of the backups. */
  state: string;
  /** How many of the newest snapshots are kept: 1 or more. */
  keep: number;
};

const pruneNames = [backupAccountNames, "state,keep"] as const;

/** What was deleted. */
export interface PruneResult {
  /** How many snapshots are kept. */
  kept: number;
  /** How many snapshots are deleted. */
  snapshots: number;
  /** How many batches of files are deleted: all that have no file which is still required. */
  batches: number;
}

/**
 * Deletes all snapshots of a folder but the newest ones, then the files that only those had. Files are stored in batches of up
 * to 1,000, and can be deleted by the batch: one is kept while any of its files is required.
 *
 * Every snapshot that is kept is read first, and nothing is deleted that it refers to; then the others are deleted, and at last
 * batches. So a call that is interrupted leaves no snapshot without its files; the same call continues.
 *
 * @throws `INVALID_OPTION`, also if there is no state, or another call uses it; before anything is deleted, what reading the
 * snapshots throws; `HTTP_STATUS`
 *
 * @example
 * await pruneSnapshots({ state: "/home/ada/.letters-backup", keep: 30, apiKey, signer });
 */
export async function pruneSnapshots(options: PruneOptions): Promise<PruneResult> {
  options = checkOptions(options, pruneNames);
  const keep = wholeNumber("keep", options.keep, 0, 1);
  if (keep === 0) throw invalidOption("keep", "a whole number from 1 on");
  return withSet(options.state, async (owned) => {
    if (!owned.set) throw invalidOption("state", "the state of earlier backups");
    const { address } = await resolveOwner(options, resolveKeyNodes(options));
    refuseOtherOwner(owned.set, address);
    return prune(owned.set, owned, { ...options, keep });
  });
}

async function prune(set: BackupSet, { folder, save }: OwnedSet, options: PruneOptions): Promise<PruneResult> {
  const kept = set.snapshots.slice(-options.keep);
  const oldest = kept[0]?.createdAt ?? 0;
  const bearer = pickOptions(options, bearerOptionNames) as BearerOptions;
  const places = toPlaces(folder);
  const stored = await listOwn(set.id, bearer);
  const needed = createContentIds();
  await addIndex(needed, places.index);
  // Those that only the account knows were stored by a machine with a later state, or right before a process ended: they are
  // kept until they are older than all that this machine keeps.
  const isKept = (cid: string) => kept.some((each) => each.cid === cid);
  const old = stored.snapshots.filter(({ cid, createdAt }) => createdAt < oldest && !isKept(cid));
  const superseded = [...set.snapshots.slice(0, -options.keep), ...old];
  const doomed = [...new Set([...(set.doomed ?? []), ...superseded.map(({ cid }) => cid)])];
  const others = stored.snapshots.map(({ cid }) => cid).filter((cid) => !doomed.includes(cid));
  for (const cid of new Set([...kept.map((each) => each.cid), ...others])) {
    await addNeeded(cid, needed, isKept(cid), options);
  }
  const { doomed: _, ...rest } = set;
  await save({ ...rest, snapshots: kept, doomed });
  let snapshots = 0;
  for (const { cid, id } of stored.snapshots) {
    if (doomed.includes(cid) && (await deleteStored(id, bearer))) snapshots++;
  }
  const unfinished = await readRun(places);
  const batches = stored.batches.filter(({ run }) => run !== unfinished?.id);
  const deleted = await deleteUnneeded(batches, needed, bearer);
  await save({ ...rest, snapshots: kept });
  return { kept: kept.length, snapshots, batches: deleted };
}

/** Adds what a snapshot refers to. */
async function addNeeded(cid: string, needed: ContentIds, isKnown: boolean, options: PruneOptions): Promise<void> {
  const owner = pickOptions(options, recoverFileKeyNames) as RecoverFileKeyOptions;
  try {
    await withSnapshot(cid, owner, (snapshot) => addSnapshot(needed, snapshot));
  } catch (error) {
    // The key of a snapshot that no call has returned may never have been saved: nobody can open it.
    if (isKnown || !isKeeplightError(error, "CID_NOT_FOUND")) throw error;
  }
}

/** Lists what the account has of a set. */
async function listOwn(set: string, bearer: BearerOptions) {
  const snapshots: (Pick<ListedFile, "id" | "cid"> & { createdAt: number })[] = [];
  const batches: (Pick<ListedFile, "id" | "cid"> & { run: string })[] = [];
  for await (const { id, cid, fileName } of iterateFiles(bearer)) {
    const name = parseStoredName(fileName ?? "");
    if (name?.set !== set || id === "") continue;
    if (name.run === undefined) snapshots.push({ id, cid, createdAt: name.createdAt ?? Number.POSITIVE_INFINITY });
    else batches.push({ id, cid, run: name.run });
  }
  return { snapshots, batches };
}

/** Batches whose entries are read concurrently. */
const LISTED_AT_ONCE = 8;

/** Deletes the batches that have no file which is needed, by their own verified entries. Returns how many. */
async function deleteUnneeded(
  batches: readonly Pick<ListedFile, "id" | "cid">[],
  needed: ContentIds,
  bearer: BearerOptions,
): Promise<number> {
  const { listVerifiedFolder } = await loadOnDemand();
  const { apiKey: _, ...call } = bearer;

  async function isNeeded(cid: string): Promise<boolean> {
    try {
      for await (const entry of listVerifiedFolder(cid, call)) if (needed.has(entry.cid)) return true;
      return false;
    } catch (error) {
      // One that cannot be read stays until it can.
      if (!isKeeplightError(error) || isKeeplightError(error, "ABORTED")) throw error;
      return true;
    }
  }

  let deleted = 0;
  const checked = mapInOrder(batches, { limit: LISTED_AT_ONCE, signal: call.signal }, async ({ id, cid }) =>
    (await isNeeded(cid)) ? undefined : id,
  );
  for await (const id of checked) if (id !== undefined && (await deleteStored(id, bearer))) deleted++;
  return deleted;
}

/** Returns whether there was something to delete. */
async function deleteStored(id: string, bearer: BearerOptions): Promise<boolean> {
  try {
    await deleteFile(id, bearer);
    return true;
  } catch (error) {
    if (isKeeplightError(error, "HTTP_STATUS") && error.details.status === 404) return false;
    throw error;
  }
}
