import { open } from "node:fs/promises";
import type { ChunkReader } from "./chunk-reader.ts";
import type { FileEntry } from "./entries.ts";
import { invalidBackup } from "./invalid-backup.ts";
import type { FileContent } from "./snapshot-reader.ts";

/**
 * Creates the content of a snapshot's files, by their chunks.
 *
 * @param snapshot - its content id
 * @param toId - returns the id of a chunk
 */
export function createChunkContent(
  snapshot: string,
  reader: ChunkReader,
  toId: (chunk: Uint8Array) => string,
): FileContent {
  function checkSize({ path, size, chunks }: FileEntry): void {
    const sum = chunks.reduce((bytes, id) => bytes + reader.sizeOf(id, snapshot), 0);
    if (sum !== size) throw invalidBackup(snapshot, `${path} is of another size`);
  }

  return {
    async isIn(place, entry) {
      checkSize(entry);
      return hasChunks(place, entry.chunks, (id) => reader.sizeOf(id, snapshot), toId);
    },
    async *read(entry, signal) {
      checkSize(entry);
      for (const id of entry.chunks) {
        signal.throwIfAborted();
        yield await reader.read(id, snapshot);
      }
    },
  };
}

/** Whether a file consists of chunks. */
async function hasChunks(
  place: string,
  chunks: readonly string[],
  sizeOf: (id: string) => number,
  toId: (chunk: Uint8Array) => string,
): Promise<boolean> {
  const handle = await open(place, "r").catch(() => undefined);
  if (!handle) return false;
  try {
    let at = 0;
    for (const id of chunks) {
      const chunk = Buffer.allocUnsafe(sizeOf(id));
      for (let read = 0; read < chunk.length; ) {
        const { bytesRead } = await handle.read(chunk, read, chunk.length - read, at + read);
        if (bytesRead === 0) return false;
        read += bytesRead;
      }
      if (toId(chunk) !== id) return false;
      at += chunk.length;
    }
    return true;
  } finally {
    await handle.close();
  }
}
