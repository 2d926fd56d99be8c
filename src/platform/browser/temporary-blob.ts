import type { Sink } from "../types.ts";
import { type BlobParts, openBlobParts } from "./blob-parts.ts";
import { BLOCK_BYTES, inBlocks } from "./blocks.ts";
import { type OpfsFile, openOpfsFile } from "./opfs-file.ts";

/** Beyond this, bytes go to the origin private file system: the browser's store of Blobs may be in memory. */
const MEMORY_BYTES = 32 * 1024 * 1024;

/** Bytes that are kept as long as they are on their way. */
export interface TemporaryBlob {
  blob: Blob;
  /** Removes what is behind the Blob, which cannot be read any more then. */
  discard(): Promise<void>;
}

/**
 * Keeps bytes as they are, in Blob parts while they are few and in a file of the origin private file system beyond
 * that; where there is no such file system (or no Worker to write to it), in Blob parts throughout. The file stays
 * if nobody discards it, so no plaintext of an encrypted file may come here.
 *
 * @throws `CANNOT_WRITE`, also later while it is written to
 */
export async function temporaryBlob(): Promise<Sink<TemporaryBlob>> {
  let parts: BlobParts | undefined = await openBlobParts();
  let file: OpfsFile | undefined;
  let fileRefused = false;

  const blocks = inBlocks(BLOCK_BYTES, async (block) => {
    if (parts && !fileRefused && parts.size + block.length > MEMORY_BYTES) await moveToFile(parts);
    if (file) return file.write(block);
    await parts?.add(block);
    return block.buffer;
  });

  async function moveToFile(kept: BlobParts): Promise<void> {
    file = await openOpfsFile();
    if (!file) {
      fileRefused = true;
      return;
    }
    const whole = await kept.finish();
    for (let at = 0; at < whole.size; at += BLOCK_BYTES) {
      await file.write(new Uint8Array(await whole.slice(at, at + BLOCK_BYTES).arrayBuffer()));
    }
    parts = undefined;
  }

  async function discard(): Promise<void> {
    parts = undefined;
    await file?.remove();
  }

  return {
    write: blocks.write,
    async commit() {
      await blocks.end();
      return { blob: (await file?.finish()) ?? (await parts?.finish()) ?? new Blob(), discard };
    },
    abandon: discard,
  };
}
