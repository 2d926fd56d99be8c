import { ensureKept } from "./ensure-kept.ts";

/** Bytes in the browser's own store of Blobs, outside the heap, which releases them with the Blob. */
export interface BlobParts {
  /** Copies the bytes, and waits if too many are pending; a later call may report the failure. */
  add(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Of everything added. */
  readonly size: number;
  /** Returns the whole Blob, after a check of its last byte. */
  finish(): Promise<Blob>;
}

/** Pending parts: while the store writes these, the next one is built. */
const PARTS_AHEAD = 4;

/**
 * A Blob for whose bytes the browser's store had no room still has its full size, and fails only when it is read. So
 * this reads the end of each part, and reports a missing one at once.
 *
 * @throws `CANNOT_WRITE`
 */
export async function openBlobParts(): Promise<BlobParts> {
  await waitForStore();
  const parts: Blob[] = [];
  const pending: Promise<void>[] = [];
  let size = 0;
  return {
    async add(bytes) {
      const part = new Blob([bytes]);
      parts.push(part);
      size += bytes.length;
      const kept = ensureKept(readBack(part, bytes.length));
      // Reported by the call that waits for it, if any.
      kept.catch(() => undefined);
      pending.push(kept);
      if (pending.length > PARTS_AHEAD) await pending.shift();
    },
    get size() {
      return size;
    },
    async finish() {
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
 * Chromium determines the capacity of its store only after its start, and until then breaks Blobs beyond 500 MiB. A Blob
 * that is built from a stream waits for that.
 */
function waitForStore(): Promise<unknown> {
  ready ??= (async () => new Response(new Blob([new Uint8Array(1)]).stream()).blob())().catch(() => undefined);
  return ready;
}
