import type { Progress, Source } from "keeplight";
import { copyInput, copyOptions, type QueuedPlace } from "keeplight/parts";
import { toError } from "./errors.ts";
import type { HeldOperations } from "./open-operations.ts";
import { createStore } from "./store.ts";
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
import { createListState, emptyList } from "./upload-total.ts";

/** How many uploads run at once by default. */
const DEFAULT_MAX_AT_ONCE = 2;

/** Progress is shown at most once per frame. A timer, as pages in the background get no animation frames. */
const FRAME_MS = 16;

/** What of a list has changed, each including those before it. */
const changes = { nothing: 0, progress: 1, status: 2, members: 3 };

/** Who uploads. */
interface UploadAccount {
  id: string;
  address?: string | undefined;
}

/** What a list may have besides. */
interface UploadListOptions<Options> {
  /** Precedes the ids. Default none. */
  prefix?: string;
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
 * Uploads that run concurrently, up to a limit. They outlive the components that show them.
 *
 * @param getCall - how to upload now: called when an upload is added, and when one of the same account is retried
 */
export function createUploadList<Options extends object>(
  getCall: () => UploadCall<Options>,
  { prefix = "", onSettled, getAccount = () => ({ id: "" }), held, record }: UploadListOptions<Options> = {},
) {
  type Job = UploadJob<Options>;
  const jobs = new Map<string, Job>();
  /** What is shown, in its order: each upload from its first recording on. */
  const shown = new Map<string, UploadEntry>();
  const running = new Set<Job>();
  let waiting = new Set<Job>();
  let maxAtOnce = DEFAULT_MAX_AT_ONCE;
  let lastId = 0;
  let changed = changes.nothing;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let settled = emptyList;
  const store = createStore(emptyList, {
    onClose() {
      for (const job of jobs.values()) remove(job);
      publish();
    },
  });

  /** Shows all changes so far, at once. */
  function publish(): void {
    clearTimeout(timer);
    timer = undefined;
    if (changed === changes.nothing) return;
    const ids = changed < changes.members ? store.state().ids : [...shown.keys()];
    const next = shown.size === 0 ? emptyList : createListState(ids, [...shown.values()]);
    if (changed > changes.progress) settled = next;
    changed = changes.nothing;
    store.setState(next);
  }

  function setState(job: Job, state: UploadState): void {
    const isProgress = job.entry.state.status === state.status;
    job.entry = { ...job.entry, state };
    if (shown.has(job.entry.id)) shown.set(job.entry.id, job.entry);
    changed = Math.max(changed, isProgress ? changes.progress : changes.status);
  }

  /** All uploads in the order in which they are shown, then those that are not yet. */
  const listJobs = () => [...new Set([...shown.keys(), ...jobs.keys()])].flatMap((id) => jobs.get(id) ?? []);

  /** The uploads in any of these statuses: of all, or of one or several. */
  function select(ids: string | readonly string[] | undefined, ...statuses: UploadState["status"][]): Job[] {
    const candidates = ids === undefined ? listJobs() : [ids].flat().flatMap((id) => jobs.get(id) ?? []);
    return candidates.filter(({ entry }) => statuses.includes(entry.state.status));
  }

  /** Starts as many uploads as may run, and shows what has changed. */
  function update(): void {
    for (const job of waiting) {
      if (running.size >= maxAtOnce) break;
      waiting.delete(job);
      job.ended = run(job, job.ended);
    }
    publish();
  }

  async function run(job: Job, before: Promise<void> | undefined): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    job.controller = controller;
    running.add(job);
    setState(job, { status: "running" });
    const isCurrent = () => job.controller === controller;
    const onProgress = (progress: Progress) => {
      if (!isCurrent()) return;
      setState(job, { status: "running", progress });
      timer ??= setTimeout(publish, FRAME_MS);
    };
    let next: UploadState;
    try {
      // Only once an aborted run has ended is it known what it has stored or left open.
      if (before !== undefined) await before;
      signal.throwIfAborted();
      const { entry, options, left, place } = job;
      job.files ??= toUploadedFiles(
        await (job.unfinished?.resume({ signal }) ??
          job.call(entry.source, { ...options, signal, onProgress }, left?.operationId, place)),
      );
      await job.place?.leave();
      next = { status: "done", files: job.files };
      releaseLeft(job);
    } catch (error) {
      next = { status: "failed", error: toError(error) };
      // Even an aborted upload may have stored its files, and their keys can still be saved.
      if (jobs.has(job.entry.id)) keepRest(job, error, held);
    }
    onSettled?.();
    if (!isCurrent()) return;
    delete job.controller;
    running.delete(job);
    setState(job, next);
    update();
  }

  function stop(job: Job): void {
    job.controller?.abort();
    delete job.controller;
    running.delete(job);
    waiting.delete(job);
  }

  function remove(job: Job): void {
    stop(job);
    releaseLeft(job);
    endPlace(job, store.isOpen());
    jobs.delete(job.entry.id);
    shown.delete(job.entry.id);
    changed = changes.members;
  }

  /** Records uploads, unless nothing does, before they are shown as waiting. */
  function enqueue(added: readonly Job[], options: Options, places?: readonly QueuedPlace[]): void {
    const sources = added.map(({ entry }) => entry.source);
    const recording = places ? undefined : record?.(sources, options);
    if (!recording) show(added, places);
    else {
      for (const job of added) job.isRecording = true;
      recording.then(
        (recorded) => show(added, recorded),
        (error) => show(added, [], toError(error)),
      );
    }
  }

  /** Shows uploads that are recorded, or that cannot be. */
  function show(added: readonly Job[], places: readonly QueuedPlace[] = [], error?: Error): void {
    for (const [at, job] of added.entries()) {
      const place = places[at];
      const { id } = job.entry;
      if (!jobs.has(id)) {
        endPlace({ place }, store.isOpen());
        continue;
      }
      job.place = place;
      job.isRecording = false;
      // One that was aborted before it was shown stays so.
      if (shown.has(id) || job.entry.state.status === "waiting") {
        setState(job, error ? { status: "failed", error } : { status: "waiting" });
      }
      if (!shown.has(id)) changed = changes.members;
      shown.set(id, job.entry);
      if (job.entry.state.status === "waiting") waiting.add(job);
    }
    update();
  }

  return {
    ...store,
    /** As of the latest change of a status: the same object while uploads only progress. */
    settledState: () => settled,
    /** Sets how many may run at once from now on, 2 before. */
    setMaxAtOnce(next: number): void {
      maxAtOnce = next;
    },
    /** Returns the upload with this id, as it is shown. */
    getEntry: (id: string) => shown.get(id),
    /**
     * Adds an upload per source; returns their ids. They are shown once they are recorded.
     *
     * @param places - of those that are recorded already
     */
    add(sources: readonly Source[], options: Options, places?: readonly QueuedPlace[]): string[] {
      if (!store.isOpen()) return [];
      const { id: accountId, address } = getAccount();
      const account = address === undefined ? {} : { account: address };
      const own = copyOptions(options);
      const added = copyInput(sources.map(toOwnSource), "sources").map((source): Job => {
        const id = `${prefix}${++lastId}`;
        const entry = { id, source, ...describeSource(source), ...account, state: { status: "waiting" } as const };
        return { entry, options: own, call: getCall(), accountId };
      });
      for (const job of added) jobs.set(job.entry.id, job);
      enqueue(added, own, places);
      return added.map(({ entry }) => entry.id);
    },
    /** Aborts the upload with this id, or all that are waiting or running. */
    abort(id?: string): void {
      for (const job of select(id, "waiting", "running")) {
        stop(job);
        setState(job, { status: "aborted" });
      }
      update();
    },
    /** Retries one failed or aborted upload, several, or all. If the files are stored, it resumes with saving their keys. */
    retry(ids?: string | readonly string[]): void {
      const again = new Map<Options, Job[]>();
      for (const job of select(ids, "failed", "aborted")) {
        if (job.isRecording) continue;
        // Another account's stays with its own: its file is not to be stored in this one.
        const isOwn = job.accountId === getAccount().id;
        if (isOwn) job.call = getCall();
        if (isOwn && isUnrecorded(job)) {
          const retried = again.get(job.options) ?? [];
          retried.push(job);
          again.set(job.options, retried);
        } else setState(job, { status: "waiting" });
      }
      for (const [options, retried] of again) enqueue(retried, options);
      // In the order of the list, in which a retried upload may precede others that wait.
      waiting = new Set(select(undefined, "waiting").filter(({ isRecording }) => !isRecording));
      update();
    },
    /** Aborts and removes one upload, or removes all that are over. */
    clear(id?: string): void {
      const active = id === undefined ? [] : (["waiting", "running"] as const);
      for (const job of select(id, "done", "failed", "aborted", ...active)) remove(job);
      update();
    },
  };
}

/** A page changes its `FileList` when people pick files again. */
function toOwnSource(source: Source): Source {
  return typeof FileList !== "undefined" && source instanceof FileList ? Array.from(source) : source;
}
