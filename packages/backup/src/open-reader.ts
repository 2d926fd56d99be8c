import { isKeeplightError } from "keeplight";
import { createChunkContent } from "./chunk-content.ts";
import { ChunkIndex } from "./chunk-index.ts";
import { createChunkReader } from "./chunk-reader.ts";
import { readDirectories } from "./directories.ts";
import { openFirstReader } from "./first-format/open-first-reader.ts";
import type { ResolvedRead } from "./options.ts";
import { createOutageCount } from "./patience.ts";
import { type OpenedSnapshot, openSnapshot } from "./snapshot.ts";
import type { SnapshotReader } from "./snapshot-reader.ts";
import { listTree } from "./tree.ts";

/**
 * Prepares reading a snapshot, of this format or the first one.
 *
 * @throws `INVALID_SNAPSHOT`; what `decrypt` and `openFile` throw
 */
export async function openReader(cid: string, options: ResolvedRead): Promise<SnapshotReader> {
  const snapshot = await openSnapshot(cid, options);
  return snapshot ? openChunks(snapshot, options) : openFirstReader(cid, options);
}

/** By the directories of the packs that the snapshot names, so nothing else has to be known. */
async function openChunks({ cid, content, repository }: OpenedSnapshot, call: ResolvedRead): Promise<SnapshotReader> {
  const index = new ChunkIndex();
  const outages = createOutageCount();
  let failure: unknown;
  // What is in the other packs is not lost with one of them.
  const skips = (error: unknown) => {
    if (!isKeeplightError(error) || isKeeplightError(error, "ABORTED")) return false;
    outages.add(error);
    failure ??= error;
    return true;
  };
  const places = { keys: repository.keys, call, state: undefined, skips };
  for await (const { cid: pack, directory } of readDirectories(content.packs, places)) {
    if (!directory) continue;
    outages.end();
    index.add(pack, directory);
  }
  // Without its list nothing of it can be read.
  if (failure !== undefined && content.tree.some((id) => !index.has(id))) throw failure;
  const reader = createChunkReader(repository, index, call);
  return {
    list: () => listTree(cid, content, reader),
    content: createChunkContent(cid, reader, repository.keys.toId),
    close: async () => undefined,
  };
}
