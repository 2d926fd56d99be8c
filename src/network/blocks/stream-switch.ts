import { wait } from "../../base/async/abort.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import type { Gateway } from "./gateway.ts";
import type { FileSource } from "./read-file.ts";

/** A search for the tree of blocks of a file, while the file arrives. */
export type TreeSearch = ReturnType<typeof createTreeSearch>;

/** How long to wait for the root block once the file itself has arrived, or failed, in milliseconds. */
const PATIENCE_MS = 15_000;

/** Creates a search that runs at most once, and is waited for at most so long, from when it is first needed. */
export function createTreeSearch(search: () => Promise<FileSource>, signal: AbortSignal) {
  let searching: Promise<FileSource | undefined> | undefined;
  let found: Promise<FileSource | undefined> | undefined;
  let failure: unknown;
  let loss: unknown;

  function start(): Promise<FileSource | undefined> {
    searching ??= search().catch((error: unknown) => {
      if (isOtherKind(error)) throw error;
      failure = error;
      return undefined;
    });
    // It may fail before anyone waits for it.
    searching.catch(() => undefined);
    return searching;
  }

  return {
    /** Starts the search, unless it runs already. */
    start,
    /**
     * Resolves to the tree, or `undefined` if no gateway sends its root soon; always to the same, since a tree that comes
     * later would prove the rest of a file whose start it did not prove.
     *
     * @throws `UNSUPPORTED` for a content id that is not one of a file
     */
    find(): Promise<FileSource | undefined> {
      const giveUp = () => undefined;
      found ??= Promise.race([start(), wait(PATIENCE_MS, signal).then(giveUp, giveUp)]);
      return found;
    },
    /** Returns why there is no tree, if that is known. */
    failure: () => failure,
    /** Receives why a block of the tree cannot be read. */
    addLoss(error: unknown): void {
      loss = error;
    },
    /** Returns why a block of the tree could not be read, if one could not. */
    loss: () => loss,
  };
}

/** Whether a verified block shows that the content id is not one of a file: a gateway that offers no blocks is no proof. */
function isOtherKind(error: unknown): boolean {
  return isKeeplightError(error, "UNSUPPORTED") && error.details["cid"] !== undefined;
}

/** A stream that sends less is slow, in bytes per second: several ranges at once may be faster. */
const SLOW_BYTES_PER_SECOND = 16 * 1024 * 1024;

/** How long a stream is waited for before it is judged, in milliseconds. */
const JUDGED_AFTER_MS = 500;

/** With less of a file left, nothing is gained by other requests, in bytes. */
const MIN_BYTES_LEFT = 4 * 1024 * 1024;

/** Judges whether the rest of a stream of so many bytes is better read in ranges. */
export function createPace({ facts, fetchRange }: Gateway, total: number, search: TreeSearch, signal: AbortSignal) {
  let bytes = 0;
  let ms = 0;
  let isSlow = false;
  let isTreeKnown = false;
  let isProbing = false;

  /** Finds out whether the gateway sends ranges of a file whose tree is known. */
  async function probe(): Promise<void> {
    const tree = await search.find();
    if (tree && facts.offersRanges === undefined) await fetchRange(tree.file, 0, 1, signal);
    isTreeKnown = tree !== undefined;
  }

  return {
    /** Receives the size of a chunk, and how long the stream was waited for: its consumer may be slower. In milliseconds. */
    add(size: number, waitedMs: number): void {
      bytes += size;
      ms += waitedMs;
      if (ms < JUDGED_AFTER_MS) return;
      isSlow = bytes < (SLOW_BYTES_PER_SECOND * ms) / 1000;
      bytes = 0;
      ms = 0;
    },
    /** Whether the bytes after these are better requested in ranges. Finds out whether they can be, while they arrive. */
    shouldSwitch(loaded: number): boolean {
      if (!isSlow || total - loaded < MIN_BYTES_LEFT) return false;
      // Whatever it fails for, the stream may still succeed.
      if (!isProbing) probe().catch(() => undefined);
      isProbing = true;
      return isTreeKnown && facts.offersRanges === true;
    },
  };
}
