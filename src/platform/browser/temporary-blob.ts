import { browserStorageFull } from "../../base/errors/input.ts";
import type { Sink } from "../types.ts";
import { BLOCK_BYTES, toBlocks } from "./blocks.ts";
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
  let memoryBytes = MEMORY_BYTES;

  const blocks = toBlocks(BLOCK_BYTES, async (block) => {
    if (parts && parts.size + block.length > memoryBytes) await moveToFile(parts);
    if (file) return ensureKept(file.write(block));
    await parts?.add(block);
    return block.buffer;
  });

  async function moveToFile(kept: BlobParts): Promise<void> {
    // It is tried once.
    memoryBytes = Number.POSITIVE_INFINITY;
    file = await openFile();
    if (!file) return;
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

/** Pending parts: while the store writes these, the next one is built. */
const PARTS_AHEAD = 4;

type BlobParts = Awaited<ReturnType<typeof openBlobParts>>;

/**
 * Keeps bytes in the browser's own store of Blobs, outside the heap, which releases them with the Blob. A Blob for whose
 * bytes the store had no room still has its full size, and fails only when it is read. So this reads the end of each part,
 * and reports a missing one at once.
 *
 * @throws `CANNOT_WRITE`
 */
export async function openBlobParts() {
  await waitForStore();
  const parts: Blob[] = [];
  const pending: Promise<void>[] = [];
  let size = 0;
  return {
    /** Copies the bytes, and waits if too many are pending; a later call may report the failure. */
    async add(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
      const part = new Blob([bytes]);
      parts.push(part);
      size += bytes.length;
      const kept = ensureKept(readBack(part, bytes.length));
      // Reported by the call that waits for it, if any.
      kept.catch(() => undefined);
      pending.push(kept);
      if (pending.length > PARTS_AHEAD) await pending.shift();
    },
    /** Of everything added. */
    get size() {
      return size;
    },
    async finish(): Promise<Blob> {
      await Promise.all(pending);
      const whole = new Blob(parts);
      await ensureKept(readBack(whole, size));
      return whole;
    },
  };
}

/** Throws unless a Blob is complete up to its last byte. */
async function readBack(blob: Blob, size: number): Promise<void> {
  const end = await blob.slice(Math.max(0, size - 1)).arrayBuffer();
  if (blob.size !== size || end.byteLength !== Math.min(1, size)) throw new Error("a Blob is shorter than its bytes");
}

let ready: Promise<unknown> | undefined;

/**
 * Chromium learns the capacity of its store only after its start, and until then breaks Blobs beyond 500 MiB. A Blob
 * that is built from a stream waits for that.
 */
function waitForStore(): Promise<unknown> {
  ready ??= (async () => new Response(new Blob([new Uint8Array(1)]).stream()).blob())().catch(() => undefined);
  return ready;
}

/** Throws `CANNOT_WRITE` if the browser has not kept bytes, with its estimate of the room that this site has. */
export async function ensureKept<T>(keeping: Promise<T>): Promise<T> {
  try {
    return await keeping;
  } catch (error) {
    throw browserStorageFull(await estimateRoom(), error);
  }
}

/** Estimates how much of its quota this site uses; `undefined` if the browser does not say. */
export async function estimateRoom(): Promise<{ usedBytes: number; quotaBytes: number } | undefined> {
  try {
    const { usage, quota } = await navigator.storage.estimate();
    return usage === undefined || quota === undefined ? undefined : { usedBytes: usage, quotaBytes: quota };
  } catch {
    return undefined;
  }
}
