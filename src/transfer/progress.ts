/** What a call is doing. A page prepares what is not a Blob yet (it encrypts, say) before it sends; Node does both at once. */
export type ProgressPhase = "preparing" | "uploading" | "saving-keys" | "downloading";

/** How far a call is. */
export interface Progress {
  /** What is being done. */
  phase: ProgressPhase;
  /** Done in this phase: bytes, or in `saving-keys` answers of key nodes. */
  loaded: number;
  /** What `loaded` will be at the phase's end, where it is known. */
  total?: number;
  /** Of the whole call, 0 to 1, never falling; 1 only when the answer is in. */
  fraction: number;
}

/**
 * Hears how far a call is, some hundred times at most per phase. What it throws may end the call; only when
 * everything is done, at `fraction` 1, the result counts.
 */
export type OnProgress = (progress: Progress) => void;

/** Tells one call's progress. */
export interface ProgressReporter {
  report(phase: ProgressPhase, loaded: number, total: number | undefined): void;
  /** The answer is in. */
  done(): void;
}

const STEPS = 200;
const UNKNOWN_TOTAL_STEP_BYTES = 1024 * 1024;

/**
 * Makes a teller for a call whose phases take these shares of it, in this order.
 *
 * @param shares - per phase, in order; together at most 1
 */
export function createProgress(
  onProgress: OnProgress | undefined,
  shares: Readonly<Partial<Record<ProgressPhase, number>>>,
): ProgressReporter {
  if (!onProgress) return { report: () => undefined, done: () => undefined };
  let last: Progress | undefined;
  let fraction = 0;

  function before(phase: ProgressPhase): number {
    let sum = 0;
    for (const [name, share] of Object.entries(shares)) {
      if (name === phase) break;
      sum += share;
    }
    return sum;
  }

  return {
    report(phase, loaded, total) {
      const step = total === undefined ? UNKNOWN_TOTAL_STEP_BYTES : total / STEPS;
      if (last?.phase === phase && loaded !== total && loaded - last.loaded < step) return;
      const part = total === undefined ? 0 : total === 0 ? 1 : Math.min(loaded / total, 1);
      // The last word is the answer's.
      fraction = Math.min(Math.max(fraction, before(phase) + (shares[phase] ?? 0) * part), 0.999);
      last = { phase, loaded, ...(total === undefined ? {} : { total }), fraction };
      onProgress(last);
    },
    done() {
      // Of an empty file there was nothing to tell on the way.
      const empty = { phase: Object.keys(shares).at(-1) as ProgressPhase, loaded: 0, total: 0 };
      try {
        onProgress({ ...(last ?? empty), fraction: 1 });
      } catch {
        // Nothing is left to be stopped, and what is stored or saved must not be lost.
      }
    },
  };
}
