import { isKeeplightError, isUnfinished, type Progress, type Source, type UploadedFiles } from "keeplight";
import type { QueuedPlace } from "keeplight/parts";
import type { HeldOperations } from "./held-operations.ts";
import { isResumable, type ResumableError } from "./upload-entry.ts";

/** Uploads one source; or completes the operation of the journal that an earlier call has left open. */
export type UploadCall<Options> = (
  source: Source,
  options: Options & { signal: AbortSignal; onProgress: (progress: Progress) => void },
  operationId: string | undefined,
  place: QueuedPlace | undefined,
) => Promise<UploadedFiles>;

/** What an upload needs besides what is shown. */
export interface UploadJob<Options> extends JobState {
  /** The same object for all that were added together. */
  options: Options;
  /** Of the account that added or retried it: never of one that the page switched to while it waited. */
  call: UploadCall<Options>;
  accountId: string;
}

/** How far an upload is. */
interface JobState {
  /** Where it is recorded until it is stored, or has an entry of its own. */
  place?: QueuedPlace | undefined;
  /** Whether it is being recorded. */
  isRecording?: boolean;
  /** Of its current run. */
  controller?: AbortController;
  /** Settles once nothing of its latest run is under way. */
  ended?: Promise<void>;
  /** What a run has stored that was aborted too late. */
  files?: UploadedFiles;
  /** How to resume after a failure, without a journal. */
  unfinished?: ResumableError;
  /** What a failure has left open in the journal, and how to let others resume it. */
  left?: { operationId: string; release: () => void };
}

/** Whether an upload starts from its beginning, and no journal knows of it. */
export function isUnrecorded({ place, files, unfinished, left }: JobState): boolean {
  return !place && !files && !unfinished && !left;
}

/** Keeps how to continue a failed upload. */
export function keepRest(job: JobState, error: unknown, held: HeldOperations | undefined): void {
  const { operationId } = isUnfinished(error) ? error : {};
  if (operationId === undefined) {
    if (isResumable(error)) job.unfinished = error;
    // It was completed or discarded elsewhere: the next retry uploads again.
    if (isKeeplightError(error, "JOURNAL_ENTRY_UNKNOWN")) {
      releaseLeft(job);
      void job.place?.leave();
      delete job.place;
    }
  } else if (job.left?.operationId !== operationId) {
    releaseLeft(job);
    job.left = { operationId, release: held?.hold(operationId) ?? (() => undefined) };
  }
}

/** Lets others resume what a job has left open. */
export function releaseLeft(job: JobState): void {
  job.left?.release();
  delete job.left;
}

/** Ends the place of an upload: its user removes it, or leaves it to another page. */
export function endPlace({ place, ended }: Pick<JobState, "place" | "ended">, isRemoved: boolean): void {
  if (isRemoved) void place?.leave();
  // Until its run has ended it may be stored: then it is not to be offered.
  else void Promise.resolve(ended).then(() => place?.release());
}
