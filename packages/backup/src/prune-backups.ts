import { type OptionSchema, type Resolved, resolveOptions, wholeNumber } from "keeplight/parts";
import { forgetDirectories, readDirectories } from "./directories.ts";
import { type Mark, readMarks, storeMark } from "./marks.ts";
import { findSuperseded, openChunks, readAllSnapshots, type StoredSnapshot } from "./needs.ts";
import { type WriteOptions, writeSchema } from "./options.ts";
import type { PackDirectory } from "./pack-format.ts";
import { deleteStored, isLost, listStored, type StoredFile } from "./remote.ts";
import { repack } from "./repack.ts";
import { openRepositories, type Repository } from "./repository.ts";

/** Options of {@link pruneBackups}. */
export type PruneOptions = WriteOptions & {
  /**
   * How long packs are marked before they are deleted, in milliseconds; younger packs are not marked, and as long as there is one
   * that no snapshot needs, only packs of 30 days are: a backup may be unfinished. Longer than any backup takes without a break, and
   * than clocks and listings may be late.
   *
   * @default 259,200,000 (three days)
   */
  graceMs?: number | undefined;
  /** A pack is repacked if more than this share of its bytes is not needed, in percent; 100 repacks none. @default 50 */
  unusedPercent?: number | undefined;
};

const schema = {
  ...writeSchema,
  graceMs: wholeNumber(3 * 86_400_000),
  unusedPercent: wholeNumber(50, 0, 100),
} satisfies OptionSchema<PruneOptions>;

type ResolvedPrune = Resolved<typeof schema>;

/** What was done. */
export interface PruneResult {
  /** How many packs are kept, those that are marked included. */
  kept: number;
  /** How many packs were marked, to be deleted by a later call. */
  marked: number;
  /** How many packs, marked by an earlier call, were deleted. */
  deleted: number;
  /** How many packs were repacked: what is needed of them is in new ones. */
  repacked: number;
}

/**
 * Deletes packs of chunks that no snapshot needs, in two calls: one marks them, and one that is made `graceMs` later deletes them,
 * unless a snapshot needs them by then. Meanwhile no backup, of any machine, relies on a marked pack. Packs of which little is
 * needed are repacked. All snapshots are read first: if one of them cannot be, the call throws and deletes nothing. A call that is
 * interrupted leaves nothing that the next one does not find.
 *
 * @throws `INVALID_OPTION`; before anything is deleted, what reading the snapshots throws; `CANNOT_WRITE`, `HTTP_STATUS`
 *
 * @example
 * await pruneBackups({ state: "/home/ada/.backups", apiKey, signer });
 */
export async function pruneBackups(options: PruneOptions): Promise<PruneResult> {
  return prune(options, true);
}

/**
 * Finds out what {@link pruneBackups} would mark, delete and repack; packs that it would repack, and then mark, only count as
 * repacked. Changes nothing that is stored.
 */
export async function previewPrune(options: PruneOptions): Promise<PruneResult> {
  return prune(options, false);
}

async function prune(options: PruneOptions, mayChange: boolean): Promise<PruneResult> {
  const resolved = resolveOptions(schema, options);
  const result: PruneResult = { kept: 0, marked: 0, deleted: 0, repacked: 0 };
  const stored = await listStored(resolved);
  for (const repository of await openRepositories(stored, resolved)) {
    const job = { repository, options: resolved, result, mayChange };
    if (mayChange) await removeSuperseded(job);
    await repackSparse(job);
    await sweep(job);
    await markUnneeded(job);
  }
  const left = (await listStored(resolved)).filter(({ kind }) => kind === "pack");
  if (mayChange) await forgetDirectories(resolved.state, new Set(left.map(({ cid }) => cid)));
  return { ...result, kept: left.length - (mayChange ? 0 : result.deleted) };
}

interface PruneJob {
  repository: Repository;
  options: ResolvedPrune;
  result: PruneResult;
  /** Otherwise it only counts. */
  mayChange: boolean;
}

/** What the account has now. */
async function readState({ repository, options }: PruneJob) {
  const stored = await listStored(options);
  const lost: StoredFile[] = [];
  const marks = await readMarks(stored, repository, options, (file) => lost.push(file));
  const snapshots = await readAllSnapshots(stored, repository, options);
  const needed = new Set(snapshots.flatMap(({ content }) => content.packs));
  return { stored, marks, lost, snapshots, needed };
}

/** Deletes the old files of snapshots whose chunks an interrupted call has moved. */
async function removeSuperseded(job: PruneJob): Promise<void> {
  const { stored, snapshots } = await readState(job);
  await remove(
    findSuperseded(snapshots, stored).map(({ file }) => file),
    job,
  );
}

async function repackSparse(job: PruneJob): Promise<void> {
  const { repository, options, result } = job;
  const { stored, marks, lost, snapshots } = await readState(job);
  // Nothing may be moved to packs that a lost mark may name.
  if (lost.length > 0) return;
  const directories = await readPacks(stored, job);
  const marked = new Set(marks.flatMap(({ packs }) => packs));
  const sparse = await findSparse(snapshots, directories, job);
  if (sparse.size > 0 && job.mayChange) await repack({ repository, snapshots, directories, sparse, marked, options });
  result.repacked += sparse.size;
}

/** Returns the packs that snapshots need too little of. */
async function findSparse(
  snapshots: readonly StoredSnapshot[],
  directories: ReadonlyMap<string, PackDirectory>,
  { repository, options }: PruneJob,
): Promise<Set<string>> {
  const sparse = new Set<string>();
  if (options.unusedPercent === 100) return sparse;
  const ids = new Set<string>();
  for (const snapshot of snapshots) {
    for await (const id of openChunks(snapshot, directories, repository, options).listIds()) ids.add(id);
  }
  for (const cid of new Set(snapshots.flatMap(({ content }) => content.packs))) {
    const { chunks = [] } = directories.get(cid) ?? {};
    const sum = (some: typeof chunks) => some.reduce((bytes, { sealed }) => bytes + sealed, 0);
    const unused = sum(chunks.filter(({ id }) => !ids.has(id)));
    if (unused * 100 > sum(chunks) * options.unusedPercent) sparse.add(cid);
  }
  return sparse;
}

/** Deletes the packs of old marks that no snapshot needs now, and then the marks. */
async function sweep(job: PruneJob): Promise<void> {
  const { stored, marks, needed } = await readState(job);
  for (const { file, packs, createdAt } of marks) {
    if (createdAt + job.options.graceMs > Date.now()) continue;
    const unneeded = new Set(packs.filter((cid) => !needed.has(cid)));
    const swept = stored.filter(({ kind, cid }) => kind === "pack" && unneeded.has(cid));
    job.result.deleted += job.mayChange ? await remove(swept, job) : swept.length;
    if (job.mayChange) await remove([file], job);
  }
}

/** How old packs that no snapshot needs are marked while a backup is unfinished, in milliseconds. */
const UNFINISHED_MS = 30 * 86_400_000;

/**
 * Marks the packs that no snapshot needs. Marks that the network has lost are removed then: their packs are in the new one, also
 * for a call that is about to delete them.
 */
async function markUnneeded(job: PruneJob): Promise<void> {
  const { repository, options, result, mayChange } = job;
  const { stored, marks, lost, needed } = await readState(job);
  const marked = new Set(marks.flatMap((mark: Mark) => mark.packs));
  const unneeded = [...(await readPacks(stored, job))].filter(([cid]) => !needed.has(cid) && !marked.has(cid));
  const isYoung = ([, { createdAt }]: (typeof unneeded)[number]) => createdAt > Date.now() - options.graceMs;
  // A backup is at work, or will continue. Those of a lost mark are marked in any case: another call may be deleting them.
  const isUnfinished = lost.length === 0 && unneeded.some(isYoung);
  const oldest = Date.now() - (isUnfinished ? Math.max(options.graceMs, UNFINISHED_MS) : options.graceMs);
  const packs = unneeded.filter(([, { createdAt }]) => createdAt <= oldest).map(([cid]) => cid);
  if (packs.length > 0 && mayChange) await storeMark(packs, repository, options);
  if (mayChange) await remove(lost, job);
  result.marked += packs.length;
}

async function readPacks(stored: readonly StoredFile[], { repository, options }: PruneJob) {
  const own = stored.filter(({ kind, repository: id }) => kind === "pack" && id === repository.id);
  const directories = new Map<string, PackDirectory>();
  // Without a pack that the network has lost, what a snapshot needs of it is missed, and nothing is deleted; another one stays.
  const places = { keys: repository.keys, call: options, state: options.state, skips: isLost };
  for await (const { cid, directory } of readDirectories(new Set(own.map(({ cid }) => cid)), places)) {
    if (directory) directories.set(cid, directory);
  }
  return directories;
}

const remove = (files: readonly StoredFile[], { options }: PruneJob) => deleteStored(files, options, options.storage);
