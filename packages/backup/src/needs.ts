import { ChunkIndex } from "./chunk-index.ts";
import { createChunkReader } from "./chunk-reader.ts";
import { invalidBackup } from "./invalid-backup.ts";
import type { ResolvedAccount } from "./options.ts";
import type { PackDirectory } from "./pack-format.ts";
import type { StoredFile } from "./remote.ts";
import type { Repository } from "./repository.ts";
import { readSnapshots, type SnapshotContent } from "./snapshot.ts";
import { listTree } from "./tree.ts";

/** A snapshot of the account. */
export interface StoredSnapshot {
  file: StoredFile;
  content: SnapshotContent;
}

/**
 * Reads all snapshots of a repository.
 *
 * @throws what reading one of them throws, whatever that is: what it needs is unknown then
 */
export async function readAllSnapshots(
  stored: readonly StoredFile[],
  repository: Repository,
  account: ResolvedAccount,
): Promise<StoredSnapshot[]> {
  const snapshots: StoredSnapshot[] = [];
  for await (const read of readSnapshots(stored, repository, account)) {
    if ("error" in read) throw read.error;
    snapshots.push(read);
  }
  return snapshots;
}

/** Returns the latest file of each snapshot: it has several if its chunks were moved, and the call was interrupted. */
export function findLatest(snapshots: readonly StoredSnapshot[]): StoredSnapshot[] {
  const best = new Map<string, StoredSnapshot>();
  for (const each of snapshots) {
    const other = best.get(each.content.id);
    if (!other || isLater(each, other)) best.set(each.content.id, each);
  }
  return [...best.values()];
}

/** Returns the files of snapshots of which a later one is whole: all of its packs are listed. */
export function findSuperseded(snapshots: readonly StoredSnapshot[], stored: readonly StoredFile[]): StoredSnapshot[] {
  const there = new Set(stored.map(({ cid }) => cid));
  const whole = snapshots.filter(({ content }) => content.packs.every((cid) => there.has(cid)));
  const latest = new Map(findLatest(whole).map(({ file, content }) => [content.id, file.cid]));
  return snapshots.filter(({ file, content }) => (latest.get(content.id) ?? file.cid) !== file.cid);
}

/** The same for every machine: two that move the chunks of one snapshot at once keep the same file. */
function isLater({ file, content }: StoredSnapshot, other: StoredSnapshot): boolean {
  if (content.moves !== other.content.moves) return content.moves > other.content.moves;
  return file.cid < other.file.cid;
}

/** What opens the chunks of one snapshot: by its own packs. */
export function openChunks(
  { file, content }: StoredSnapshot,
  directories: ReadonlyMap<string, PackDirectory>,
  repository: Repository,
  call: object,
) {
  const index = new ChunkIndex();
  for (const cid of content.packs) {
    const directory = directories.get(cid);
    if (!directory) throw invalidBackup(file.cid, `its pack ${cid} is not there`);
    index.add(cid, directory);
  }
  const reader = createChunkReader(repository, index, call);

  /** Yields the ids of all chunks that the snapshot needs; some of them more than once. */
  async function* listIds(): AsyncGenerator<string> {
    yield* content.tree;
    for await (const entry of listTree(file.cid, content, reader)) if (entry.kind === "file") yield* entry.chunks;
  }
  return { listIds, read: (id: string) => reader.read(id, file.cid) };
}
