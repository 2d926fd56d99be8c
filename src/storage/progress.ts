/**
 * What a call is doing. A page may have to prepare what is not a Blob yet (encrypt it, say) before it sends it; Node, and
 * pages over HTTP/2 in browsers that stream requests, do both at once.
 */
export type ProgressPhase = "preparing" | "uploading" | "saving-keys" | "downloading";

/** How far a call is. */
export interface Progress {
  /** What is being done. */
  phase: ProgressPhase;
  /** Done in this phase: bytes, or in `saving-keys` the number of key shards saved. */
  loaded: number;
  /** The value of `loaded` at the end of the phase, if it is known. */
  total?: number;
  /** Of the whole call, 0 to 1, never decreasing; 1 only when the result is there. */
  fraction: number;
}

/**
 * Receives how far a call is, some hundred times at most per phase. An error it throws may end the call, but not once
 * everything is done, at `fraction` 1: the result stands.
 */
export type OnProgress = (progress: Progress) => void;

/** Reports the progress of one call. */
export interface ProgressReporter {
  report(phase: ProgressPhase, loaded: number, total: number | undefined): void;
  /** Reports that the result is there. */
  done(): void;
}

/** A phase of a call, and how much of the whole call it takes, 0 to 1. */
interface Stage {
  phase: ProgressPhase;
  share: number;
}

/** The stages of a call, in order; their shares add up to at most 1. */
export type Stages = readonly [Stage, ...Stage[]];

export const UPLOAD_STAGES = [
  { phase: "preparing", share: 0 },
  { phase: "uploading", share: 1 },
] as const satisfies Stages;

export const DOWNLOAD_STAGES = [{ phase: "downloading", share: 1 }] as const satisfies Stages;

const REPORTS_PER_PHASE = 200;
const UNKNOWN_TOTAL_STEP_BYTES = 1024 * 1024;
/** The most that is reported before the result is there. */
const MAX_UNFINISHED = 0.999;

/** Creates a reporter for a call with these stages. */
export function createProgress(onProgress: OnProgress | undefined, stages: Stages): ProgressReporter {
  if (!onProgress) return { report: () => undefined, done: () => undefined };
  let last: Progress | undefined;
  let fraction = 0;
  let hasPrepared = false;

  /** Computes how much of the call is done. What is prepared while it is sent has no phase of its own. */
  function computeFraction(phase: ProgressPhase, loaded: number, total: number | undefined): number {
    const current = stages.findIndex((stage) => stage.phase === phase);
    const sumShares = (count: number) => stages.slice(0, count).reduce((sum, { share }) => sum + share, 0);
    const start = phase === "uploading" && !hasPrepared ? 0 : sumShares(current);
    const done = total === undefined ? 0 : total === 0 ? 1 : Math.min(loaded / total, 1);
    return start + (sumShares(current + 1) - start) * done;
  }

  return {
    report(phase, loaded, total) {
      const step = total === undefined ? UNKNOWN_TOTAL_STEP_BYTES : total / REPORTS_PER_PHASE;
      if (last?.phase === phase && loaded !== total && loaded - last.loaded < step) return;
      hasPrepared ||= phase === "preparing";
      fraction = Math.min(Math.max(fraction, computeFraction(phase, loaded, total)), MAX_UNFINISHED);
      last = { phase, loaded, ...(total === undefined ? {} : { total }), fraction };
      onProgress(last);
    },
    done() {
      // An empty file has no bytes to report on the way.
      const { phase } = stages.at(-1) ?? stages[0];
      try {
        onProgress({ ...(last ?? { phase, loaded: 0, total: 0 }), fraction: 1 });
      } catch {
        // Nothing is left to stop, and what is stored or saved must not be lost.
      }
    },
  };
}
