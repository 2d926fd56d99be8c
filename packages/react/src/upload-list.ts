import type { Progress, Source } from "keeplight";
import { copyInput, copyOptions, type QueuedPlace } from "keeplight/parts";
import { toError } from "./errors.ts";
import type { HeldOperations } from "./open-operations.ts";
import { createLifetime } from "./store.ts";
import { createUploadEntries } from "./upload-entries.ts";
import {
  describeSource,
  endPlace,
  isUnrecorded,
  keepRest,
  releaseLeft,
  toUploadedFiles,
  type UploadCall,
  type UploadEntry,
  type UploadJob,
  type UploadState,
} from "./upload-entry.ts";

/** How many uploads run at once by default. */
const DEFAULT_MAX_AT_ONCE = 2;

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
  /** Called whenever a run of an upload has ended. */
  onSettled?: (() => void) | undefined;
  /** Who uploads now. Default always the same. */
  getAccount?: () => UploadAccount;
  /** Where what may be retried is held. Default nowhere. */
  held?: HeldOperations;
  /** Records uploads before they are shown; `undefined` if nothing does. Default nothing does. */
  record?: (sources: readonly Source[], options: Options) => Promise<QueuedPlace[]> | undefined;
}

export type UploadList<Options extends object> = ReturnType<typeof createUploadList<Options>>;

/**
 * Uploads that run concurrently, up to a limit. Lives outside React, so that they outlive the components that show them.
 *
 * @param getCall - how to upload now: called when an upload is added, and when one of the same account is retried
 */
export function createUploadList<Options extends object>(
  getCall: () => UploadCall<Options>,
  { prefix = "", onChange, onSettled, getAccount = () => ({ id: "" }), held, record }: UploadListOptions<Options> = {},
) {
  const entries = createUploadEntries(onChange);
  const jobs = new Map<string, UploadJob<Options>>();
  const running = new Set<string>();
  let waiting = new Set<string>();
  let maxAtOnce = DEFAULT_MAX_AT_ONCE;
  let lastId = 0;
  const { isOpen, ...lifetime } = createLifetime(() => {
    for (const id of jobs.keys()) remove(id);
    entries.publish();
  });

  /** Starts as many uploads as may run, and shows what has changed. */
  function update(): void {
    for (const id of waiting) {
      if (running.size >= maxAtOnce) break;
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
      releaseLeft(job);
    } catch (error) {
      next = { status: "failed", error: toError(error) };
      // Even an aborted upload may have stored its files, and their keys can still be saved.
      if (jobs.get(id) === job) keepRest(job, error, held);
    }
    onSettled?.();
    if (!isCurrent()) return;
    delete job.controller;
    running.delete(id);
    entries.setState(id, next);
    update();
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
    if (job) {
      releaseLeft(job);
      endPlace(job, isOpen());
    }
    jobs.delete(id);
    entries.delete(id);
  }

  /** Records uploads, unless nothing does, before they are shown as waiting. */
  function enqueue(ids: readonly string[], options: Options, places?: readonly QueuedPlace[]): void {
    const sources = ids.map((id) => (jobs.get(id)?.added ?? entries.get(id))?.source as Source);
    const recording = places ? undefined : record?.(sources, options);
    if (!recording) show(ids, places);
    else {
      for (const job of ids.map((id) => jobs.get(id))) if (job) job.isRecording = true;
      recording.then(
        (recorded) => show(ids, recorded),
        (error) => show(ids, [], toError(error)),
      );
    }
  }

  /** Shows uploads that are recorded, or that cannot be. */
  function show(ids: readonly string[], places: readonly QueuedPlace[] = [], error?: Error): void {
    for (const [at, id] of ids.entries()) {
      const [job, place] = [jobs.get(id), places[at]];
      if (!job) {
        endPlace({ place }, isOpen());
        continue;
      }
      const { added } = job;
      delete job.added;
      job.place = place;
      job.isRecording = false;
      const state: UploadState = error ? { status: "failed", error } : { status: "waiting" };
      if (!added) entries.setState(id, state);
      else entries.add(added.state.status === "waiting" ? { ...added, state } : added);
      if (entries.get(id)?.state.status === "waiting") waiting.add(id);
    }
    update();
  }

  return {
    subscribe: entries.subscribe,
    state: entries.state,
    settledState: entries.settledState,
    /** Sets how many may run at once from now on. */
    setMaxAtOnce(next = DEFAULT_MAX_AT_ONCE): void {
      maxAtOnce = next;
    },
    /** Returns the upload with this id, as it is shown. */
    getEntry: entries.get,
    /**
     * Adds an upload per source; returns their ids. They are shown once they are recorded.
     *
     * @param places - of those that are recorded already
     */
    add(sources: readonly Source[], options: Options, places?: readonly QueuedPlace[]): string[] {
      if (!isOpen()) return [];
      const { id: accountId, address } = getAccount();
      const account = address === undefined ? {} : { account: address };
      const own = copyOptions(options);
      const ids = copyInput(sources.map(toOwnSource), "sources").map((source) => {
        const id = `${prefix}${++lastId}`;
        const added: UploadEntry = { id, source, ...describeSource(source), ...account, state: { status: "waiting" } };
        jobs.set(id, { options: own, call: getCall(), accountId, added });
        return id;
      });
      enqueue(ids, own, places);
      return ids;
    },
    /** Aborts the upload with this id, or all that are waiting or running. */
    abort(id?: string): void {
      for (const job of id === undefined ? jobs.values() : [jobs.get(id)]) {
        if (job?.added) job.added.state = { status: "aborted" };
      }
      for (const each of entries.select(id, "waiting", "running")) {
        stop(each);
        entries.setState(each, { status: "aborted" });
      }
      update();
    },
    /** Retries one failed or aborted upload, or all. If the files are stored, it resumes with saving their keys. */
    retry(id?: string): void {
      const again = new Map<Options, string[]>();
      for (const each of entries.select(id, "failed", "aborted")) {
        const job = jobs.get(each);
        if (!job || job.isRecording) continue;
        // Another account's stays with its own: its file is not to be stored in this one.
        const isOwn = job.accountId === getAccount().id;
        if (isOwn) job.call = getCall();
        if (isOwn && isUnrecorded(job)) {
          const ids = again.get(job.options) ?? [];
          ids.push(each);
          again.set(job.options, ids);
        } else entries.setState(each, { status: "waiting" });
      }
      for (const [options, ids] of again) enqueue(ids, options);
      // In the order of the list, in which a retried upload may precede others that wait.
      waiting = new Set(entries.select(undefined, "waiting"));
      update();
    },
    /** Aborts and removes one upload, or removes all that are over. */
    clear(id?: string): void {
      const active = id === undefined ? [] : (["waiting", "running"] as const);
      if (id !== undefined && jobs.get(id)?.added) remove(id);
      for (const each of entries.select(id, "done", "failed", "aborted", ...active)) remove(each);
      update();
    },
    ...lifetime,
  };
}

/** A page changes its `FileList` when people pick files again. */
function toOwnSource(source: Source): Source {
  return typeof FileList !== "undefined" && source instanceof FileList ? Array.from(source) : source;
}
