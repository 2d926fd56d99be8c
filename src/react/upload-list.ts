import { isKeeplightError, isUnfinished, type Progress, type Source, type UploadedFiles } from "../index.ts";
import type { QueuedPlace } from "../journal/queue.ts";
import { copyOptions } from "../validation/check-options.ts";
import { copyInput } from "../validation/copy-input.ts";
import type { HeldOperations } from "./held-operations.ts";
import { toError } from "./to-error.ts";
import { createUploadEntries, type UploadEntries } from "./upload-entries.ts";
import {
  describeSource,
  isResumable,
  type ResumableError,
  type UploadEntry,
  type UploadState,
} from "./upload-entry.ts";
import { toUploadedFiles } from "./uploaded-folder.ts";
import type { Disposable } from "./use-lifetime.ts";

/** Uploads one source; or completes the operation of the journal that an earlier call has left open. */
export type UploadCall<Options> = (
  source: Source,
  options: Options & { signal: AbortSignal; onProgress: (progress: Progress) => void },
  operationId: string | undefined,
  place: QueuedPlace | undefined,
) => Promise<UploadedFiles>;

/** Who uploads. */
interface UploadAccount {
  id: string;
  address?: string | undefined;
}

/** What a list may have besides. */
interface UploadListOptions<Options> {
  /** Precedes the ids. Default none. */
  prefix?: string;
  /** Called with the id of each upload whose change is shown. */
  onChange?: (id: string) => void;
  /** Who uploads now. Default always the same. */
  getAccount?: () => UploadAccount;
  /** Where what may be retried is held. Default nowhere. */
  held?: HeldOperations;
  /** Records uploads before they are shown; `undefined` if nothing does. Default nothing does. */
  record?: (sources: readonly Source[], options: Options) => Promise<QueuedPlace[]> | undefined;
}

/** Uploads that run concurrently, up to a limit. Lives outside React; see `task-store.ts`. */
export interface UploadList<Options> extends Disposable, Pick<UploadEntries, "subscribe" | "state" | "settledState"> {
  /** Returns the upload with this id, as it is shown. */
  getEntry(id: string): UploadEntry | undefined;
  /**
   * Adds an upload per source; returns their ids. They are shown once they are recorded.
   *
   * @param places - of those that are recorded already
   */
  add(sources: readonly Source[], options: Options, places?: readonly QueuedPlace[]): string[];
  /** Aborts the upload with this id, or all that are waiting or running. */
  abort(id?: string): void;
  /** Retries one failed or aborted upload, or all. If the files are stored, it resumes with saving their keys. */
  retry(id?: string): void;
  /** Aborts and removes one upload, or removes all that are over. */
  clear(id?: string): void;
}

/** What an upload needs besides what is shown. */
interface UploadJob<Options> {
  options: Options;
  /** Of the account that added or retried it: never of one that the page switched to while it waited. */
  call: UploadCall<Options>;
  accountId: string;
  /** Where it is recorded until it is stored, or has an entry of its own. */
  place?: QueuedPlace | undefined;
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

/**
 * @param getCall - how to upload now: called when an upload is added, and when one of the same account is retried
 * @param getMaxAtOnce - how many may run at once: called each time one may start
 */
export function createUploadList<Options extends object>(
  getCall: () => UploadCall<Options>,
  getMaxAtOnce: () => number,
  { prefix = "", onChange, getAccount = () => ({ id: "" }), held, record }: UploadListOptions<Options> = {},
): UploadList<Options> {
  const entries = createUploadEntries(onChange);
  const jobs = new Map<string, UploadJob<Options>>();
  const running = new Set<string>();
  let waiting = new Set<string>();
  /** Uploads that are being recorded. */
  const unrecorded = new Map<string, UploadEntry>();
  let lastId = 0;
  let isOpen = true;

  /** Starts as many uploads as may run, and shows what has changed. */
  function update(): void {
    for (const id of waiting) {
      if (running.size >= getMaxAtOnce()) break;
      waiting.delete(id);
      const job = jobs.get(id);
      if (job) job.ended = run(id, job.ended);
    }
    entries.publish();
  }

  async function run(id: string, before: Promise<void> | undefined): Promise<void> {
    const job = jobs.get(id);
    const source = entries.get(id)?.source;
    if (!job || source === undefined) return;
    const controller = new AbortController();
    const { signal } = controller;
    job.controller = controller;
    running.add(id);
    entries.setState(id, { status: "running" });
    const isCurrent = () => job.controller === controller && jobs.get(id) === job;
    const onProgress = (progress: Progress) => {
      if (!isCurrent()) return;
      entries.setState(id, { status: "running", progress });
      entries.publishSoon();
    };
    let next: UploadState;
    try {
      // Only once an aborted run has ended is it known what it has stored or left open.
      if (before !== undefined) await before;
      signal.throwIfAborted();
      const files =
        job.files ??
        toUploadedFiles(
          await (job.unfinished?.resume({ signal }) ??
            job.call(source, { ...job.options, signal, onProgress }, job.left?.operationId, job.place)),
        );
      job.files = files;
      await job.place?.leave();
      next = { status: "done", files };
      release(job);
    } catch (error) {
      next = { status: "failed", error: toError(error) };
      // Even an aborted upload may have stored its files, and their keys can still be saved.
      if (jobs.get(id) === job) keepRest(job, error);
    }
    if (!isCurrent()) return;
    delete job.controller;
    running.delete(id);
    entries.setState(id, next);
    update();
  }

  /** Keeps how to continue a failed upload. */
  function keepRest(job: UploadJob<Options>, error: unknown): void {
    const { operationId } = isUnfinished(error) ? error : {};
    if (operationId === undefined) {
      if (isResumable(error)) job.unfinished = error;
      // It was completed or discarded elsewhere: the next retry uploads again.
      if (isKeeplightError(error, "JOURNAL_ENTRY_UNKNOWN")) release(job);
    } else if (job.left?.operationId !== operationId) {
      release(job);
      job.left = { operationId, release: held?.hold(operationId) ?? (() => undefined) };
    }
  }

  /** Lets others resume what a job has left open. */
  function release(job: UploadJob<Options>): void {
    job.left?.release();
    delete job.left;
  }

  function stop(id: string): void {
    const job = jobs.get(id);
    job?.controller?.abort();
    delete job?.controller;
    running.delete(id);
    waiting.delete(id);
  }

  function remove(id: string): void {
    stop(id);
    const job = jobs.get(id);
    if (job) release(job);
    endPlace(job?.place);
    jobs.delete(id);
    unrecorded.delete(id);
    entries.delete(id);
  }

  /** Of an upload that its user removes, or that ends with its page. */
  function endPlace(place: QueuedPlace | undefined): void {
    void (isOpen ? place?.leave() : place?.release());
  }

  /** Shows uploads that are recorded, or that cannot be. */
  function show(ids: readonly string[], places: readonly QueuedPlace[] = [], error?: Error): void {
    for (const [at, id] of ids.entries()) {
      const [job, entry] = [jobs.get(id), unrecorded.get(id)];
      unrecorded.delete(id);
      if (!job || !entry) {
        endPlace(places[at]);
        continue;
      }
      job.place = places[at];
      const isWaiting = entry.state.status === "waiting";
      entries.add(error && isWaiting ? { ...entry, state: { status: "failed", error } } : entry);
      if (isWaiting && !error) waiting.add(id);
    }
    update();
  }

  return {
    subscribe: entries.subscribe,
    state: entries.state,
    settledState: entries.settledState,
    getEntry: entries.get,
    add(sources, options, places) {
      if (!isOpen) return [];
      const { id: accountId, address } = getAccount();
      const account = address === undefined ? {} : { account: address };
      const own = copyOptions(options);
      const ids = copyInput(sources, "sources").map((source) => {
        const id = `${prefix}${++lastId}`;
        jobs.set(id, { options: own, call: getCall(), accountId });
        unrecorded.set(id, { id, source, ...describeSource(source), ...account, state: { status: "waiting" } });
        return id;
      });
      const recording = places ? undefined : record?.(sources, options);
      if (!recording) show(ids, places);
      else {
        recording.then(
          (recorded) => show(ids, recorded),
          (error) => show(ids, [], toError(error)),
        );
      }
      return ids;
    },
    abort(id) {
      for (const entry of unrecorded.values()) {
        if (id === undefined || entry.id === id) entry.state = { status: "aborted" };
      }
      for (const each of entries.select(id, "waiting", "running")) {
        stop(each);
        entries.setState(each, { status: "aborted" });
      }
      update();
    },
    retry(id) {
      for (const each of entries.select(id, "failed", "aborted")) {
        const job = jobs.get(each);
        // Another account's stays with its own: its file is not to be stored in this one.
        if (job?.accountId === getAccount().id) job.call = getCall();
        entries.setState(each, { status: "waiting" });
      }
      // In the order of the list, in which a retried upload may precede others that wait.
      waiting = new Set(entries.select(undefined, "waiting"));
      update();
    },
    clear(id) {
      const active = id === undefined ? [] : (["waiting", "running"] as const);
      if (id !== undefined && unrecorded.has(id)) remove(id);
      for (const each of entries.select(id, "done", "failed", "aborted", ...active)) remove(each);
      update();
    },
    open() {
      isOpen = true;
    },
    close() {
      isOpen = false;
      for (const id of jobs.keys()) remove(id);
      entries.publish();
    },
  };
}
