import { createHash } from "node:crypto";
import { invalidSource, throwIfAborted } from "keeplight/parts";
import { checkFile, type ManifestWriter, openManifest, readManifest } from "./manifest.ts";
import type { BulkSource, SkippedPath } from "./plan.ts";
import { getManifestPath, getSkippedPath } from "./plan-folder.ts";
import { openSkippedLog } from "./skipped-log.ts";

interface ListOptions {
  onProgress?: ((found: { files: number }) => void) | undefined;
  onSkipped?: ((skipped: SkippedPath) => void) | undefined;
  signal?: AbortSignal | undefined;
}

const REPORT_FILES = 1_000;

/**
 * Lists the files of a source that the manifest of a plan does not have yet. A path that is listed twice ends the call: its file
 * would be stored and billed twice. The listing is started again then, as it has to change.
 *
 * @returns what is left out
 * @throws `INVALID_SOURCE`, `SOURCE_UNREADABLE`, `CANNOT_WRITE`, `ABORTED`; what the source throws
 */
export async function listFiles(folder: string, source: BulkSource, { onProgress, onSkipped, signal }: ListOptions) {
  const path = getManifestPath(folder);
  const manifest = await openManifest(path);
  try {
    const { known, duplicates } = await readKnown(path, manifest);
    let found = known;
    let isLogged = true;
    const log = await openSkippedLog(getSkippedPath(folder), known, (each) => onSkipped?.(each));
    const skip = (each: SkippedPath) => {
      throwIfAborted(signal);
      log.add(each, found);
      isLogged = false;
      onSkipped?.(each);
    };
    const last = known === 0 ? undefined : manifest.last;
    await forEachUntilAborted(source.list(last, onSkipped && skip, signal), signal, async (listed) => {
      if (!isLogged) await log.flush();
      isLogged = true;
      const file = checkFile(listed);
      if (duplicates.add(file.path) && (await manifest.has(file.path))) {
        await manifest.clear();
        throw invalidSource(`${file.path} is listed twice`, { name: file.path });
      }
      await manifest.add(file);
      if (++found % REPORT_FILES === 0) onProgress?.({ files: found });
    });
    const skipped = await log.finish();
    await manifest.finish();
    return skipped;
  } finally {
    await manifest.close();
  }
}

/** Reads what earlier processes have listed; one that has a path twice is cleared. */
async function readKnown(path: string, manifest: ManifestWriter) {
  const duplicates = createDuplicateFinder();
  let known = 0;
  if (manifest.last === undefined) return { known, duplicates };
  for await (const file of readManifest(path)) {
    known++;
    if (!duplicates.add(file.path)) continue;
    await manifest.clear();
    return { known: 0, duplicates: createDuplicateFinder() };
  }
  return { known, duplicates };
}

/**
 * Calls `receive` with each of `items`, one after the other; rejects with `ABORTED` as soon as `signal` fires, even while an item
 * is awaited. `items` is closed at the end of the call, which does not wait for that.
 */
async function forEachUntilAborted<T>(
  items: AsyncIterable<T>,
  signal: AbortSignal | undefined,
  receive: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  let fail: (reason: unknown) => void = () => undefined;
  const onAbort = () => {
    try {
      throwIfAborted(signal);
    } catch (error) {
      fail(error);
    }
  };
  const next = () =>
    new Promise<IteratorResult<T, unknown>>((resolve, reject) => {
      fail = reject;
      throwIfAborted(signal);
      iterator.next().then(resolve, reject);
    });
  let isEnded = false;
  // One listener for millions of items.
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    for (let each = await next(); !each.done; each = await next()) await receive(each.value);
    isEnded = true;
  } finally {
    signal?.removeEventListener("abort", onAbort);
    if (!isEnded) void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

const FIRST_SLOTS = 1 << 12;

/** Finds paths that are listed twice, in some 20 bytes for each path. */
function createDuplicateFinder() {
  // A table with open addressing: a slot has 64 bits of a hash, never all zero, or is empty.
  let slots = new Uint32Array(2 * FIRST_SLOTS);
  let used = 0;

  /** Returns whether the hash is there already. */
  function insert(table: Uint32Array, high: number, low: number): boolean {
    const mask = table.length / 2 - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const at = 2 * slot;
      if (table[at] === 0 && table[at + 1] === 0) {
        table[at] = high;
        table[at + 1] = low;
        return false;
      }
      if (table[at] === high && table[at + 1] === low) return true;
    }
  }

  function grow(): void {
    const larger = new Uint32Array(2 * slots.length);
    for (let at = 0; at < slots.length; at += 2) {
      const [high = 0, low = 0] = slots.subarray(at, at + 2);
      if (high !== 0 || low !== 0) insert(larger, high, low);
    }
    slots = larger;
  }

  return {
    /** Adds a path; returns whether it may have been added before: two of 2⁶⁴ paths may be taken for one. */
    add(path: string): boolean {
      const digest = createHash("sha256").update(path).digest();
      const isKnown = insert(slots, digest.readUInt32LE(0) || 1, digest.readUInt32LE(4));
      // At most half of the slots are used.
      if (!isKnown && ++used > slots.length / 4) grow();
      return isKnown;
    },
  };
}
