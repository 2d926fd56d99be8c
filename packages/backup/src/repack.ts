import { ChunkIndex } from "./chunk-index.ts";
import { createChunkWriter } from "./chunk-writer.ts";
import { readMarks } from "./marks.ts";
import { openChunks, type StoredSnapshot } from "./needs.ts";
import type { ResolvedWrite } from "./options.ts";
import type { PackDirectory } from "./pack-format.ts";
import { deleteStored, listStored } from "./remote.ts";
import type { Repository } from "./repository.ts";
import { storeSnapshot } from "./snapshot.ts";

/** What is moved. */
export interface RepackJob {
  repository: Repository;
  snapshots: readonly StoredSnapshot[];
  directories: ReadonlyMap<string, PackDirectory>;
  /** Content ids of packs that the snapshots shall not need any more. */
  sparse: ReadonlySet<string>;
  /** Content ids of packs that they may not rely on. */
  marked: ReadonlySet<string>;
  options: ResolvedWrite;
}

/**
 * Moves the chunks that snapshots need out of sparse packs: stores them in new ones, then each snapshot with its new packs, and
 * then deletes its old file. So there is a whole snapshot at any moment.
 */
export async function repack(job: RepackJob): Promise<void> {
  const { repository, snapshots, directories, sparse, marked, options } = job;
  const moved = snapshots.filter(({ content }) => content.packs.some((cid) => sparse.has(cid)));
  // Packs that no snapshot needs may be lost: none comes to rely on them.
  const own = new Set(moved.flatMap(({ content }) => content.packs));
  const index = new ChunkIndex();
  for (const [cid, directory] of directories) {
    if (own.has(cid) && !sparse.has(cid) && !marked.has(cid)) index.add(cid, directory);
  }
  const writer = createChunkWriter(repository, index, options);
  try {
    for (const snapshot of moved) {
      const chunks = openChunks(snapshot, directories, repository, options);
      for await (const id of chunks.listIds()) if (!index.has(id)) await writer.add(await chunks.read(id));
      await writer.flush();
      const packs = new Set<string>();
      for await (const id of chunks.listIds()) packs.add(index.find(id)?.pack ?? "");
      await replaceSnapshot(snapshot, [...packs].sort(), job);
    }
  } finally {
    await writer.close();
  }
}

async function replaceSnapshot({ file, content }: StoredSnapshot, packs: string[], job: RepackJob): Promise<void> {
  const { repository, options } = job;
  await storeSnapshot({ ...content, packs, moves: content.moves + 1 }, repository, options);
  const stored = await listStored(options);
  const there = new Set(stored.map(({ cid }) => cid));
  let isUnsure = false;
  const marks = await readMarks(stored, repository, options, () => {
    isUnsure = true;
  });
  const marked = new Set(marks.flatMap((mark) => mark.packs));
  // Another machine prunes what the new file relies on, or has, or may do so: the old one stays, too.
  if (isUnsure || packs.some((cid) => marked.has(cid) || !there.has(cid))) return;
  await deleteStored(
    stored.filter(({ cid }) => cid === file.cid),
    options,
    options.storage,
  );
}
