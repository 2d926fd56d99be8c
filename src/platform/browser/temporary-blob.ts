import type { Sink } from "../types.ts";
import { type BlobParts, openBlobParts } from "./blob-parts.ts";
import { BLOCK_BYTES, toBlocks } from "./blocks.ts";
import { ensureKept } from "./ensure-kept.ts";
import type { OpfsFile } from "./opfs-file.ts";
import { openPageFolder } from "./page-folder.ts";

/** Beyond this, bytes go to the origin private file system: the browser's store of Blobs may be in memory. */
const MEMORY_BYTES = 32 * 1024 * 1024;

/** Bytes that are kept during a transfer. */
export interface TemporaryBlob {
  blob: Blob;
  /** Removes the bytes of the Blob, which becomes unreadable. */
  discard(): Promise<void>;
}

/**
 * Keeps bytes unencrypted: few of them in Blob parts, more in a file of the origin private file system; without such a
 * file system (or a Worker to write to it), in Blob parts only. The file stays unless it is discarded, so no plaintext
 * of an encrypted file may be written here.
 *
 * @throws `CANNOT_WRITE`, also later while it is written to
 */
export async function temporaryBlob(): Promise<Sink<TemporaryBlob>> {
  let parts: BlobParts | undefined = await openBlobParts();
  let file: OpfsFile | undefined;
  let fileRefused = false;

  const blocks = toBlocks(BLOCK_BYTES, async (block) => {
    if (parts && !fileRefused && parts.size + block.length > MEMORY_BYTES) await moveToFile(parts);
    if (file) return ensureKept(file.write(block));
    await parts?.add(block);
    return block.buffer;
  });

  async function moveToFile(kept: BlobParts): Promise<void> {
    file = await openFile();
    if (!file) {
      fileRefused = true;
      return;
    }
    const whole = await kept.finish();
    for (let at = 0; at < whole.size; at += BLOCK_BYTES) {
      await ensureKept(file.write(new Uint8Array(await whole.slice(at, at + BLOCK_BYTES).arrayBuffer())));
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
      const blob = file ? await ensureKept(file.finish()) : await parts?.finish();
      return { blob: blob ?? new Blob(), discard };
    },
    abandon: discard,
  };
}

/** Opens a file; without a file system, or without the code for it, there is none. */
async function openFile(): Promise<OpfsFile | undefined> {
  try {
    const folder = await openPageFolder();
    const { openOpfsFile } = await import("./opfs-file.ts");
    return await openOpfsFile(folder);
  } catch {
    return undefined;
  }
}
