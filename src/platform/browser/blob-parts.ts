import { cannotKeep } from "./cannot-keep.ts";

/** Bytes in the browser's own store of Blobs, which takes them out of the heap and lets go of them with the Blob. */
export interface BlobParts {
  /** Copies the bytes, and waits if too many are on their way; a failure may be told by a later call. */
  add(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Of all that was added. */
  readonly size: number;
  /** All of it, read back at its end. */
  finish(): Promise<Blob>;
}

/** Parts on their way: while the store takes these, the next one is made. */
const PARTS_AHEAD = 4;

/**
 * A Blob whose bytes found no room in the browser's store has its full size all the same, and fails only when it is
 * read. So the end of each part is read here, and a part that is not there is told at once.
 *
 * @throws `CANNOT_WRITE`
 */
export async function openBlobParts(): Promise<BlobParts> {
  await storeReady();
  const parts: Blob[] = [];
  const onTheirWay: Promise<void>[] = [];
  let size = 0;
  return {
    async add(bytes) {
      const part = new Blob([bytes]);
      parts.push(part);
      size += bytes.length;
      const kept = readBack(part, bytes.length);
      // Told by the call that waits for it, if one does.
      kept.catch(() => undefined);
      onTheirWay.push(kept);
      if (onTheirWay.length > PARTS_AHEAD) await onTheirWay.shift();
    },
    get size() {
      return size;
    },
    async finish() {
      await Promise.all(onTheirWay);
      const whole = new Blob(parts);
      await readBack(whole, size);
      return whole;
    },
  };
}

/** Fails with `CANNOT_WRITE` unless a Blob is there up to its last byte. */
async function readBack(blob: Blob, size: number): Promise<void> {
  try {
    const end = await blob.slice(Math.max(0, size - 1)).arrayBuffer();
    if (blob.size !== size || end.byteLength !== Math.min(1, size)) throw new Error("a Blob is shorter than its bytes");
  } catch (error) {
    throw await cannotKeep(error);
  }
}

let ready: Promise<unknown> | undefined;

/**
 * Chromium learns only after its start how much its store may hold, and until then breaks Blobs beyond 500 MiB. One
 * that is made of a stream waits until it knows.
 */
function storeReady(): Promise<unknown> {
  ready ??= (async () => new Response(new Blob([new Uint8Array(1)]).stream()).blob())().catch(() => undefined);
  return ready;
}
