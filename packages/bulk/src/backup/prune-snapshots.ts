import {
  type BearerOptions,
  type CallOptions,
  type DeleteFileOptions,
  deleteFile,
  isKeeplightError,
  type ListedFile,
  listFolder,
  type StorageClass,
} from "keeplight";
import {
  bearerSchema,
  callSchema,
  getOwnerAddress,
  invalidOption,
  mapInOrder,
  normalizeCid,
  type OptionSchema,
  pickOptions,
  type Resolved,
  resolveOptions,
  storageSchema,
  wholeNumber,
} from "keeplight/parts";
import { readLines } from "../json-lines.ts";
import { folderPath } from "../plan/own-folders.ts";
import { type BackupAccount, backupAccountSchema } from "./backup-options.ts";
import { type BackupSet, type OwnedSet, readRun, readSet, refuseOtherOwner, toPlaces, withSet } from "./backup-set.ts";
import type { KnownEntry } from "./entries.ts";
import { listNamed } from "./get-snapshot.ts";
import { withSnapshot } from "./snapshot-file.ts";

/** Options of {@link pruneSnapshots}. */
export type PruneOptions = BackupAccount & {
  /** Folder with the state of the backups. */
  state: string;
  /** How many of the newest snapshots are kept: 1 or more. */
  keep: number;
  /** Storage class of the backups, as they were made with. @default the network's own */
  storage?: StorageClass | undefined;
};

const schema = {
  ...backupAccountSchema,
  state: folderPath,
  keep: (keep = Number.NaN, name) => wholeNumber(1, 1)(keep, name),
  storage: storageSchema.storage,
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
  const { kept, snapshots, batches } = await findUnneeded(await readSet(resolved.state), resolved);
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

async function prune({ set: stored, save }: OwnedSet, options: ResolvedPrune): Promise<PruneResult> {
  const { set, kept, doomed, snapshots, batches } = await findUnneeded(stored, options);
  const bearer = { ...(pickOptions(options, bearerSchema) as BearerOptions), storage: options.storage };
  const { doomed: _, ...rest } = set;
  await save({ ...rest, snapshots: kept, doomed });
  const unfound = new Set<string>();
  const deleteEach = (entries: readonly StoredEntry[]) => deleteAll(entries, bearer, unfound);
  const deleted = { snapshots: await deleteEach(snapshots), batches: await deleteEach(batches) };
  if (unfound.size > 0) await assertGone(unfound, options);
  await save({ ...rest, snapshots: kept });
  return { kept: kept.length, ...deleted };
}

/** A file of another storage class is not found by the deletion, and stays listed: throws `INVALID_OPTION`. */
async function assertGone(unfound: ReadonlySet<string>, options: ResolvedPrune): Promise<void> {
  for await (const { file } of listNamed(options)) {
    if (unfound.has(file.id)) throw invalidOption("storage", "the storage class that the backups were made with");
  }
}

/** @param unfound - receives the ids that the network does not find: most of them were deleted before */
async function deleteAll(
  entries: readonly StoredEntry[],
  bearer: DeleteFileOptions,
  unfound: Set<string>,
): Promise<number> {
  let deleted = 0;
  for (const { id } of entries) {
    try {
      await deleteFile(id, bearer);
      deleted++;
    } catch (error) {
      if (!isKeeplightError(error, "HTTP_STATUS") || error.details.status !== 404) throw error;
      unfound.add(id);
    }
  }
  return deleted;
}

/** What an account has stored under a name of a set. */
type StoredEntry = Pick<ListedFile, "id" | "cid" | "fileName" | "fileSizeInBytes">;

/**
 * Finds what only snapshots have that are not among the newest ones. Reads every snapshot that is kept, and the entries of all
 * batches; changes nothing.
 *
 * @returns the snapshots that are kept, oldest first; the content ids of those that are to be deleted, also of those that are
 * already, and what the account has of them; the batches that have no file which is still required
 */
async function findUnneeded(set: BackupSet | undefined, { state, keep, ...account }: ResolvedPrune) {
  if (!set) throw invalidOption("state", "the state of earlier backups");
  refuseOtherOwner(set, await getOwnerAddress(account));
  const kept = set.snapshots.slice(-keep);
  const oldest = kept[0]?.createdAt ?? 0;
  const places = toPlaces(state);
  const stored = await listOwn(set.id, account);
  const needed = new Set<string>();
  const need = (cid: string | undefined) => void (cid !== undefined && needed.add(normalizeCid(cid)));
  // All that the next backup will not send again.
  for await (const line of readLines<KnownEntry>(places.index)) {
    if (line.kind === "file") for (const cid of [line.cid, line.before?.cid]) need(cid);
  }
  // Those that only the account knows were stored by a machine with a later state, or right before a process ended: they are
  // kept until they are older than all that this machine keeps.
  const isKept = (cid: string) => kept.some((each) => each.cid === cid);
  const old = stored.snapshots.filter(({ cid, createdAt }) => createdAt < oldest && !isKept(cid));
  const superseded = [...set.snapshots.slice(0, -keep), ...old];
  const doomed = [...new Set([...(set.doomed ?? []), ...superseded.map(({ cid }) => cid)])];
  const others = stored.snapshots.map(({ cid }) => cid).filter((cid) => !doomed.includes(cid));
  for (const cid of new Set([...kept.map((each) => each.cid), ...others])) {
    await withSnapshot(cid, account, async ({ list }) => {
      for await (const entry of list()) if (entry.kind === "file") need(entry.cid);
    });
  }
  const unfinished = await readRun(places);
  const batches = stored.batches.filter(({ run }) => run !== unfinished?.id);
  return {
    set,
    kept,
    doomed,
    snapshots: stored.snapshots.filter(({ cid }) => doomed.includes(cid)),
    batches: await filterUnneeded(batches, needed, pickOptions(account, callSchema)),
  };
}

async function listOwn(set: string, account: Omit<ResolvedPrune, "state" | "keep">) {
  const snapshots: (StoredEntry & { createdAt: number })[] = [];
  const batches: (StoredEntry & { run: string })[] = [];
  for await (const { file, name } of listNamed(account)) {
    const { id, cid, fileName, fileSizeInBytes } = file;
    if (name.set !== set || id === "") continue;
    const entry = { id, cid, fileName, fileSizeInBytes };
    if (name.run === undefined) snapshots.push({ ...entry, createdAt: name.createdAt ?? Number.POSITIVE_INFINITY });
    else batches.push({ ...entry, run: name.run });
  }
  return { snapshots, batches };
}

const LISTED_AT_ONCE = 8;

/** Returns the batches that have no file which is needed, by their own verified entries. */
async function filterUnneeded(batches: readonly StoredEntry[], needed: ReadonlySet<string>, call: CallOptions) {
  const options = { ...call, maxRows: Number.MAX_SAFE_INTEGER };

  async function isNeeded(cid: string): Promise<boolean> {
    try {
      for await (const entry of listFolder(cid, options)) if (needed.has(normalizeCid(entry.cid))) return true;
      return false;
    } catch (error) {
      // One that cannot be read stays until it can.
      if (!isKeeplightError(error) || isKeeplightError(error, "ABORTED")) throw error;
      return true;
    }
  }

  const unneeded: StoredEntry[] = [];
  const checked = mapInOrder(batches, { limit: LISTED_AT_ONCE, signal: call.signal }, async (batch) =>
    (await isNeeded(batch.cid)) ? undefined : batch,
  );
  for await (const batch of checked) if (batch) unneeded.push(batch);
  return unneeded;
}
