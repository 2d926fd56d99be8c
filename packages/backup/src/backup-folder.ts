import { callback, invalidOption, type OptionSchema, type Resolved, resolveOptions } from "keeplight/parts";
import { tagList } from "./checks.ts";
import { ChunkIndex } from "./chunk-index.ts";
import { type ChunkWriter, createChunkWriter } from "./chunk-writer.ts";
import { readDirectories } from "./directories.ts";
import type { Entry } from "./entries.ts";
import { type FolderState, type LastSnapshot, withFolderState } from "./folder-state.ts";
import { waitForMarks } from "./marks.ts";
import { type WriteOptions, writeSchema } from "./options.ts";
import { getRoot, type Origin, openOrigin } from "./origin.ts";
import { withPatience } from "./patience.ts";
import { deleteStored, isLost, LATE_MS, listStored, type StoredFile } from "./remote.ts";
import { openOwnRepository, type Repository } from "./repository.ts";
import { type SkippedFile, scanTree, stripState } from "./scan-tree.ts";
import { createSnapshotId, describeSnapshot, type Snapshot, type SnapshotContent, storeSnapshot } from "./snapshot.ts";
import type { BackupStore } from "./store.ts";
import { storeTree } from "./tree.ts";

/** How far a backup is. */
export interface BackupProgress {
  /** Files that were looked at. */
  files: number;
  /** Size of those files, in bytes. */
  bytes: number;
  /** Bytes that were sent. */
  sentBytes: number;
}

/** Options of {@link backupFolder}. */
export type BackupOptions = WriteOptions & {
  /** Words to choose snapshots by. @default none */
  tags?: readonly string[] | undefined;
  /**
   * Whether a path below the folder is backed up; that of a folder ends with `/`, and what is in it is not asked about if it is
   * not.
   *
   * @default everything is
   */
  filter?: ((path: string) => boolean) | undefined;
  /** Receives how far the backup is. @default none */
  onProgress?: ((progress: BackupProgress) => void) | undefined;
};

const schema = {
  ...writeSchema,
  tags: tagList,
  filter: callback<(path: string) => boolean>(),
  onProgress: callback<(progress: BackupProgress) => void>(),
} satisfies OptionSchema<BackupOptions>;

type ResolvedBackup = Resolved<typeof schema>;

/** A backup that is complete. */
export interface BackupResult extends Snapshot {
  /** Whether nothing has changed since the last snapshot, which is this one. */
  isUnchanged: boolean;
  /** Bytes that were sent, without the snapshot itself. */
  sentBytes: number;
  /** Files that could not be read: the snapshot has the version that was stored last, if there is one. */
  skipped: SkippedFile[];
}

/**
 * Backs up a folder: cuts its files into chunks by their contents, sends those that the account does not have yet, compressed and
 * encrypted, and stores a snapshot, by which `restoreBackup` restores the folder. All backups of an account share their chunks. The
 * wallet alone opens them, on any machine.
 *
 * If the process ends, the same call continues: no pack of chunks that was stored is sent again, even if the state is lost.
 * Symbolic links are not followed; sockets, pipes, devices, owners and extended attributes are left out.
 *
 * @param source - the path of a folder, or a store, such as what `s3Source` of `@keeplight/s3` returns
 * @throws `INVALID_OPTION`, also if another call backs up the same folder with this state, or it belongs to another account;
 * `SOURCE_UNREADABLE` if the folder or the store itself cannot be read; `INVALID_SOURCE` for what is neither; `CANNOT_WRITE`;
 * `INVALID_SNAPSHOT` if the network has lost what says which packs are going to be deleted: `pruneBackups` removes it, and without a
 * state if the account has snapshots whose key it cannot open; what `upload`, `uploadEncrypted`, `iterateFiles` and `decrypt` throw
 *
 * @example
 * const { cid, sentBytes } = await backupFolder("/home/ada/letters", { state: "/home/ada/.backups", apiKey, signer });
 */
export async function backupFolder(source: string | BackupStore, options: BackupOptions): Promise<BackupResult> {
  const resolved = resolveOptions(schema, options);
  return withFolderState(resolved.state, getRoot(source), async (state) => {
    const origin = await openOrigin(source, resolved);
    const repository = await openOwnRepository(resolved);
    const job = { origin, repository, state, options: resolved };
    const unreliable = new Set<string>();
    for (;;) {
      const done = await backUpOnce(job, unreliable);
      const stored = await withPatience(() => listStored(resolved), resolved);
      const { cid, isUnchanged } = done.result;
      const superseded = new Set(done.last.unsure.filter((each) => each !== cid));
      await deleteStored(
        stored.filter((file) => superseded.has(file.cid)),
        resolved,
        resolved.storage,
      );
      // Another machine has forgotten the last snapshot, or moved its chunks: it is stored again.
      if (isUnchanged && !stored.some((file) => file.cid === cid)) continue;
      const lost = await findLost(done, stored, job);
      await state.keepLast({ ...done.last, unsure: lost.length === 0 ? [] : [cid] });
      if (lost.length === 0) return done.result;
      // Another machine prunes what this snapshot relies on: it is sent again.
      for (const pack of lost) unreliable.add(pack);
    }
  });
}

interface BackupJob {
  origin: Origin;
  repository: Repository;
  state: FolderState;
  options: ResolvedBackup;
}

/**
 * Returns the packs that a stored snapshot cannot rely on: those that are marked, or gone from the listing. Who deletes a pack
 * has marked it, and then looked for snapshots that need it: either the snapshot was seen, or the mark is seen here.
 */
async function findLost(
  { packs, sentAt }: Awaited<ReturnType<typeof backUpOnce>>,
  stored: readonly StoredFile[],
  { repository, options }: BackupJob,
): Promise<string[]> {
  const marks = await waitForMarks(stored, repository, options);
  const marked = new Set(marks.flatMap((mark) => mark.packs));
  const there = new Set(stored.map(({ cid }) => cid));
  const isGone = (cid: string) => !there.has(cid) && Date.now() - (sentAt.get(cid) ?? 0) > LATE_MS;
  return packs.filter((cid) => marked.has(cid) || isGone(cid));
}

async function backUpOnce(job: BackupJob, unreliable: ReadonlySet<string>) {
  const { repository, state, options } = job;
  const { index, listed } = await loadIndex(job, unreliable);
  const writer = createChunkWriter(repository, index, options);
  try {
    const last = await state.readLast();
    const counts = { files: 0, bytes: 0 };
    const skipped: SkippedFile[] = [];
    await state.writeNext(scan(job, { index, writer, counts, onSkipped: (file) => skipped.push(file) }));
    const tree = await storeTree(readNext(state), repository, writer);
    await writer.flush();
    options.onProgress?.({ ...counts, sentBytes: writer.sent() });
    const packs = await findPacks(tree, state, index);
    const content: SnapshotContent = {
      id: createSnapshotId(),
      createdAt: chooseTime(last, Date.now()),
      host: job.origin.host,
      root: job.origin.root,
      tags: options.tags,
      ...counts,
      tree,
      packs,
      moves: 0,
    };
    const isUnchanged = last !== undefined && isSame(last, content) && listed.has(last.cid);
    const snapshot: LastSnapshot = isUnchanged ? last : await storeNext(content, last?.unsure ?? [], job);
    await state.keepNext(snapshot);
    const { cid, unsure: _, ...stored } = snapshot;
    const result: BackupResult = { ...describeSnapshot(cid, stored), isUnchanged, sentBytes: writer.sent(), skipped };
    return { result, last: snapshot, packs, sentAt: writer.sentAt };
  } finally {
    await writer.close();
  }
}

/** How far the last snapshot may be ahead, in milliseconds: by more than that, a clock was wrong. */
const MAX_AHEAD_MS = 3_600_000;

/** Chooses the time of a snapshot: later than the last one, also if the clock was set back a little. */
function chooseTime(last: SnapshotContent | undefined, now: number): number {
  return last && last.createdAt <= now + MAX_AHEAD_MS ? Math.max(now, last.createdAt + 1) : now;
}

/** Stores a snapshot, which is unsure until its packs were looked for. */
async function storeNext(
  content: SnapshotContent,
  unsure: readonly string[],
  { repository, options }: BackupJob,
): Promise<LastSnapshot> {
  const cid = await storeSnapshot(content, repository, options);
  return { ...content, cid, unsure: [...unsure, cid] };
}

/** Whether a snapshot would say the same as the last one, of the same packs. */
function isSame(last: SnapshotContent, next: SnapshotContent): boolean {
  const toText = ({ tree, packs, tags }: SnapshotContent) => JSON.stringify([tree, packs, tags]);
  return toText(last) === toText(next);
}

/** Reads where all chunks are, but those of packs that are going to be deleted. */
async function loadIndex({ repository, options }: BackupJob, unreliable: ReadonlySet<string>) {
  const stored = await withPatience(() => listStored(options), options);
  assertListed(repository, stored);
  const marks = await waitForMarks(stored, repository, options);
  const marked = new Set(marks.flatMap(({ packs }) => packs));
  const packs = stored.filter(({ kind, repository: id }) => kind === "pack" && id === repository.id);
  const reliable = new Set(packs.map(({ cid }) => cid).filter((cid) => !marked.has(cid) && !unreliable.has(cid)));
  const index = await withPatience(async () => {
    const read = new ChunkIndex();
    const places = { keys: repository.keys, call: options, state: options.state, skips: isLost };
    for await (const { cid, directory } of readDirectories(reliable, places)) if (directory) read.add(cid, directory);
    return read;
  }, options);
  return { index, listed: new Set(stored.map(({ cid }) => cid)) };
}

/**
 * Throws `INVALID_OPTION` if the account does not have the file with the key any more: nothing else than this state could open the
 * backup.
 */
function assertListed({ cid, createdAt }: Repository, stored: readonly StoredFile[]): void {
  if (Date.now() - createdAt < LATE_MS || stored.some((file) => file.kind === "repository" && file.cid === cid)) return;
  throw invalidOption(
    "state",
    `a folder of backups that the account has: ${cid}, the file with their key, is not listed`,
  );
}

interface ScanParts {
  index: ChunkIndex;
  writer: ChunkWriter;
  /** Receives what is found. */
  counts: { files: number; bytes: number };
  onSkipped(file: SkippedFile): void;
}

async function* scan(
  { origin, repository, state, options }: BackupJob,
  { index, writer, counts, onSkipped }: ScanParts,
) {
  const { filter, signal, onProgress } = options;
  const { filesAtOnce } = origin;
  const chunks = { gear: repository.keys.gear, add: writer.add, has: (id: string) => index.has(id) };
  const found = origin.walk({ filter, onSkipped });
  for await (const entry of scanTree(found, state.readEntries(), { filesAtOnce, ...chunks, onSkipped, signal })) {
    yield entry;
    if (entry.kind !== "file") continue;
    counts.files++;
    counts.bytes += entry.size;
    onProgress?.({ ...counts, sentBytes: writer.sent() });
  }
}

async function* readNext(state: FolderState): AsyncGenerator<Entry> {
  for await (const entry of state.readNext()) yield stripState(entry);
}

/** Returns the packs that have the chunks of a snapshot, sorted. */
async function findPacks(tree: readonly string[], state: FolderState, index: ChunkIndex): Promise<string[]> {
  const packs = new Set<string>();
  const add = (id: string) => {
    const pack = index.find(id)?.pack;
    if (pack === undefined) throw new Error("A chunk of the snapshot is not stored");
    packs.add(pack);
  };
  for (const id of tree) add(id);
  for await (const entry of state.readNext()) if (entry.kind === "file") for (const id of entry.chunks) add(id);
  return [...packs].sort();
}
