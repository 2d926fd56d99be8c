import { createHash } from "node:crypto";
import { invalidSource, throwIfAborted } from "keeplight/parts";
import { openLines, readIntactLines } from "../json-lines.ts";
import { listThroughOutages, type OutageOptions } from "./list-through-outages.ts";
import { checkFile, readManifest } from "./manifest.ts";
import type { BulkSource, SkippedPath } from "./plan.ts";
import { getManifestPath, getSkippedPath } from "./plan-folder.ts";
import { openSkippedLog } from "./skipped-log.ts";

interface ListOptions extends OutageOptions {
  onProgress?: ((found: { files: number }) => void) | undefined;
  onSkipped?: ((skipped: SkippedPath) => void) | undefined;
}

const REPORT_FILES = 1_000;

/**
 * Lists the files of a source that the manifest of a plan does not have yet; returns what is left out. A path that is listed twice
 * ends the call: its file would be stored and billed twice. The listing is started again then, as it has to change.
 */
export async function listFiles(folder: string, source: BulkSource, options: ListOptions) {
  const { onProgress, onSkipped, signal } = options;
  const path = getManifestPath(folder);
  const { files, last, size, duplicates } = await readKnown(path);
  const manifest = await openLines(path, size);
  let found = files;
  try {
    const log = await openSkippedLog(getSkippedPath(folder), files, (each) => onSkipped?.(each));
    const skip = (each: SkippedPath) => {
      throwIfAborted(signal);
      log.add(each, found);
      onSkipped?.(each);
    };
    const listing = listThroughOutages(source, last, onSkipped && skip, options);
    await forEachUntilAborted(listing, signal, async (listed) => {
      await log.flush();
      const file = checkFile(listed);
      if (duplicates.add(file.path) && (await hasPath(file.path))) {
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

  async function hasPath(searched: string): Promise<boolean> {
    await manifest.flush();
    for await (const file of readManifest(path)) if (file.path === searched) return true;
    return false;
  }
}

/** Reads what earlier processes have listed, as far as it is whole: nothing of a manifest that has a path twice. */
async function readKnown(path: string) {
  const known = { files: 0, last: undefined as string | undefined, size: 0, duplicates: createDuplicateFinder() };
  for await (const { value: file, end } of readIntactLines(path, (value) => checkFile(value))) {
    if (known.duplicates.add(file.path))
      return { files: 0, last: undefined, size: 0, duplicates: createDuplicateFinder() };
    known.files++;
    known.last = file.path;
    known.size = end;
  }
  return known;
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
  // A table with open addressing: a slot has 64 bits of a hash, never 0, or is empty.
  let slots = new BigUint64Array(FIRST_SLOTS);
  let used = 0;

  /** Returns whether the hash is there already. */
  function insert(table: BigUint64Array, hash: bigint): boolean {
    const mask = table.length - 1;
    let slot = Number(hash & 0xffff_ffffn) & mask;
    while (table[slot] !== 0n && table[slot] !== hash) slot = (slot + 1) & mask;
    const isKnown = table[slot] === hash;
    table[slot] = hash;
    return isKnown;
  }

  return {
    /** Adds a path; returns whether it may have been added before: two of 2⁶⁴ paths may be taken for one. */
    add(path: string): boolean {
      const digest = createHash("sha256").update(path).digest();
      if (insert(slots, digest.readBigUInt64LE() || 1n)) return true;
      // At most half of the slots are used.
      if (++used > slots.length / 2) {
        const larger = new BigUint64Array(2 * slots.length);
        for (const hash of slots) if (hash !== 0n) insert(larger, hash);
        slots = larger;
      }
      return false;
    },
  };
}
