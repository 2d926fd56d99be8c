import type { Sink, Spooled } from "../contract.ts";
import { type BlobParts, openBlobParts } from "./blob-parts.ts";
import { breathe } from "./breathe.ts";
import { cannotKeep } from "./cannot-keep.ts";
import { openPrivateFile, type PrivateFile } from "./private-file.ts";

/** Gathered on the heap before they are put away. With a MiB or more Chromium takes fresh memory for every block. */
const BLOCK_BYTES = 512 * 1024;

/** Beyond this, bytes go to the origin private file system: the in-memory store of Blobs breaks when it is full. */
const MEMORY_BYTES = 32 * 1024 * 1024;

/**
 * Keeps bytes in Blob parts while they are few and in a file of the origin private file system beyond
 * that; where there is no such file system (or no Worker to write to it), in Blob parts throughout.
 */
export async function spool(): Promise<Sink<Spooled>> {
  let parts: BlobParts | undefined = await openBlobParts();
  let block = new Uint8Array(BLOCK_BYTES);
  let filled = 0;
  let file: PrivateFile | undefined;
  let fileRefused = false;

  async function putAway(): Promise<void> {
    if (filled === 0) return;
    const full = block.subarray(0, filled);
    if (parts && !fileRefused && parts.size + filled > MEMORY_BYTES) await moveToFile(parts);
    if (file) block = new Uint8Array((await file.write(full)) ?? new ArrayBuffer(BLOCK_BYTES));
    else await parts?.add(full);
    filled = 0;
  }

  async function moveToFile(kept: BlobParts): Promise<void> {
    file = await openPrivateFile();
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
    async write(piece) {
      for (let at = 0; at < piece.length; ) {
        const step = Math.min(piece.length - at, BLOCK_BYTES - filled);
        block.set(piece.subarray(at, at + step), filled);
        filled += step;
        at += step;
        if (filled === BLOCK_BYTES) await putAway();
      }
      await breathe();
    },
    async commit() {
      await putAway();
      const blob = (await file?.finish()) ?? (await parts?.finish()) ?? new Blob();
      return { blob: async () => blob, stream: () => streamOnce(blob, discard), discard };
    },
    abandon: discard,
  };
}

/** A Blob's bytes as a stream that discards what is behind it at its end. */
function streamOnce(blob: Blob, discard: () => Promise<void>): ReadableStream<Uint8Array> {
  const reader = blob.stream().getReader();
  let given = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read().catch(async (error: unknown) => {
        await discard();
        throw await cannotKeep(error);
      });
      if (!done) {
        given += value.length;
        controller.enqueue(value);
        return;
      }
      await discard();
      if (given !== blob.size) throw await cannotKeep(new Error(`${given} of ${blob.size} bytes were kept`));
      controller.close();
    },
    async cancel(reason) {
      await reader.cancel(reason);
      await discard();
    },
  });
}
