import { type BearerOptions, deleteFile, isKeeplightError } from "keeplight";
import {
  bearerSchema,
  getOwnerAddress,
  invalidOption,
  type OptionSchema,
  pickOptions,
  type Resolved,
  resolveOptions,
  wholeNumber,
} from "keeplight/parts";
import { type BackupAccount, backupAccountSchema } from "../backup-options.ts";
import { type BackupSet, folderPath, type OwnedSet, readSet, refuseOtherOwner, withSet } from "../set/backup-set.ts";
import { findUnneeded, type StoredEntry, type Unneeded } from "./find-unneeded.ts";

/** Options of {@link pruneSnapshots}. */
export type PruneOptions = BackupAccount & {
  /** Folder with the state of the backups. */
  state: string;
  /** How many of the newest snapshots are kept: 1 or more. */
  keep: number;
};

const schema = {
  ...backupAccountSchema,
  state: folderPath,
  keep: (keep = Number.NaN, name) => wholeNumber(1, 1)(keep, name),
} satisfies OptionSchema<PruneOptions>;

type ResolvedPrune = Resolved<typeof schema>;

/** What was deleted. */
export interface PruneResult {
  /** How many snapshots are kept. */
  kept: number;
  /** How many snapshots are deleted. */
  snapshots: number;
  /** How many batches of files are deleted: all that have no file which is still required. */
  batches: number;
}

/** One that the account has stored, and that pruning deletes. */
export interface PrunedFile {
  /** Id in the listing of the account. */
  id: string;
  /** Content id. */
  cid: string;
  /** Name that it is stored under. */
  name: string;
  /** Size in bytes, as the network reports it; `undefined` if it does not. */
  bytes?: number | undefined;
}

/** What pruning would delete. */
export interface PrunePreview {
  /** How many snapshots would be kept. */
  kept: number;
  /** The snapshots that would be deleted. */
  snapshots: PrunedFile[];
  /** The batches of files that would be deleted. */
  batches: PrunedFile[];
}

/**
 * Finds out what `pruneSnapshots` would delete, by reading what that reads. Deletes and writes nothing.
 *
 * @throws what `pruneSnapshots` throws before anything is deleted, but not for a state that another call uses
 *
 * @example
 * const { snapshots, batches } = await previewPrune({ state: "/home/ada/.letters-backup", keep: 30, apiKey, signer });
 */
export async function previewPrune(options: PruneOptions): Promise<PrunePreview> {
  const resolved = resolveOptions(schema, options);
  const { kept, snapshots, batches } = await findOwnUnneeded(await readSet(resolved.state), resolved);
  return { kept: kept.length, snapshots: snapshots.map(toPrunedFile), batches: batches.map(toPrunedFile) };
}

function toPrunedFile({ id, cid, fileName, fileSizeInBytes }: StoredEntry): PrunedFile {
  const isSize = fileSizeInBytes !== null && /^\d{1,15}$/.test(fileSizeInBytes);
  return { id, cid, name: fileName ?? "", ...(isSize ? { bytes: Number(fileSizeInBytes) } : {}) };
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
  const resolved = resolveOptions(schema, options);
  return withSet(resolved.state, (owned) => prune(owned, resolved));
}

async function findOwnUnneeded(
  set: BackupSet | undefined,
  options: ResolvedPrune,
): Promise<Unneeded & { set: BackupSet }> {
  if (!set) throw invalidOption("state", "the state of earlier backups");
  refuseOtherOwner(set, await getOwnerAddress(options));
  return { set, ...(await findUnneeded(set, options)) };
}

async function prune({ set: stored, save }: OwnedSet, options: ResolvedPrune): Promise<PruneResult> {
  const { set, kept, doomed, snapshots, batches } = await findOwnUnneeded(stored, options);
  const bearer = pickOptions(options, bearerSchema) as BearerOptions;
  const { doomed: _, ...rest } = set;
  await save({ ...rest, snapshots: kept, doomed });
  const deleted = { snapshots: await deleteAll(snapshots, bearer), batches: await deleteAll(batches, bearer) };
  await save({ ...rest, snapshots: kept });
  return { kept: kept.length, ...deleted };
}

/** Returns how many were there to delete. */
async function deleteAll(entries: readonly StoredEntry[], bearer: BearerOptions): Promise<number> {
  let deleted = 0;
  for (const { id } of entries) if (await deleteStored(id, bearer)) deleted++;
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
