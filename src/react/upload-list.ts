import type { Progress, Source, UploadedFiles } from "../index.ts";
import { asError } from "./task-store.ts";
import {
  computeTotal,
  describeSource,
  isResumable,
  type Resumable,
  type UploadEntry,
  type UploadState,
  type UploadTotal,
} from "./upload-entry.ts";
import type { Disposable } from "./use-lifetime.ts";

/** Uploads one source. */
export type UploadCall<Options> = (
  source: Source,
  options: Options & { signal: AbortSignal; onProgress: (progress: Progress) => void },
) => Promise<UploadedFiles>;

/** What a list shows at one moment. */
export interface UploadListState {
  uploads: readonly UploadEntry[];
  total: UploadTotal;
}

/** Uploads that run beside each other, so many at once. Lives outside React; see `task-store.ts`. */
export interface UploadList<Options> extends Disposable {
  subscribe(listener: () => void): () => void;
  state(): UploadListState;
  /** Adds an upload per source; gives their ids. */
  add(sources: readonly Source[], options: Options): string[];
  /** Ends the upload with this id, or all that are waiting or running. */
  abort(id?: string): void;
  /** Does again what failed or was aborted: one, or all. Stored files whose keys are not all saved go on there. */
  retry(id?: string): void;
  /** Takes one off the list (and ends it), or all that are over. */
  clear(id?: string): void;
}

/** The list of nothing. One object, so that a server's and a page's first rendering are the same. */
export const emptyList: UploadListState = { uploads: [], total: computeTotal([]) };

/** What is kept of an entry besides what is shown. */
interface UploadJob<Options> {
  options: Options;
  /** Uploads for whoever added it, or retried it: never for an account that came while it waited. */
  call: UploadCall<Options>;
  controller?: AbortController;
  /** How to go on after it failed. */
  unfinished?: Resumable;
}

/**
 * @param call - how to upload now: asked when an upload is added, and when it is retried
 * @param maxAtOnce - how many run at once; asked anew each time one may begin
 */
export function createUploadList<Options extends object>(
  call: () => UploadCall<Options>,
  maxAtOnce: () => number,
): UploadList<Options> {
  const listeners = new Set<() => void>();
  const behind = new Map<string, UploadJob<Options>>();
  let state = emptyList;
  let lastId = 0;
  let isOpen = true;

  function show(uploads: readonly UploadEntry[]): void {
    state = { uploads, total: computeTotal(uploads) };
    for (const listener of listeners) listener();
  }

  function setState(id: string, next: UploadState): void {
    show(state.uploads.map((entry) => (entry.id === id ? { ...entry, state: next } : entry)));
  }

  function chosen(id: string | undefined, ...statuses: UploadState["status"][]): UploadEntry[] {
    return state.uploads.filter(
      (entry) => (id === undefined || entry.id === id) && statuses.includes(entry.state.status),
    );
  }

  function begin(): void {
    for (const entry of chosen(undefined, "waiting")) {
      if (state.total.count.running >= maxAtOnce()) return;
      void run(entry);
    }
  }

  async function run({ id, source }: UploadEntry): Promise<void> {
    const kept = behind.get(id);
    if (!kept) return;
    const controller = new AbortController();
    const { signal } = controller;
    kept.controller = controller;
    setState(id, { status: "running" });
    const onProgress = (progress: Progress) => {
      if (kept.controller && behind.get(id) === kept) setState(id, { status: "running", progress });
    };
    let next: UploadState;
    try {
      const { unfinished } = kept;
      const files = await (unfinished?.resume({ signal }) ??
        kept.call(source, { ...kept.options, signal, onProgress }));
      next = { status: "done", files };
    } catch (error) {
      next = { status: "failed", error: asError(error) };
      // An abort, too, may leave stored files behind, whose keys can still be saved.
      if (isResumable(error)) kept.unfinished = error;
    }
    if (kept.controller !== controller || behind.get(id) !== kept) return;
    delete kept.controller;
    setState(id, next);
    begin();
  }

  function stop(id: string): void {
    const kept = behind.get(id);
    kept?.controller?.abort();
    delete kept?.controller;
  }

  function clear(id?: string): void {
    const gone = new Set(
      chosen(id, "done", "failed", "aborted", ...(id === undefined ? [] : (["waiting", "running"] as const))).map(
        (entry) => entry.id,
      ),
    );
    for (const each of gone) {
      stop(each);
      behind.delete(each);
    }
    if (gone.size > 0) show(state.uploads.filter((entry) => !gone.has(entry.id)));
    begin();
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    state: () => state,
    add(sources, options) {
      if (!isOpen) return [];
      const added = sources.map((source): UploadEntry => {
        const id = String(++lastId);
        behind.set(id, { options, call: call() });
        return { id, source, ...describeSource(source), state: { status: "waiting" } };
      });
      show([...state.uploads, ...added]);
      begin();
      return added.map(({ id }) => id);
    },
    abort(id) {
      const stopped = new Set(chosen(id, "waiting", "running").map((entry) => entry.id));
      for (const each of stopped) stop(each);
      show(state.uploads.map((entry) => (stopped.has(entry.id) ? { ...entry, state: { status: "aborted" } } : entry)));
      begin();
    },
    retry(id) {
      const again = new Set(chosen(id, "failed", "aborted").map((entry) => entry.id));
      for (const [each, kept] of behind) if (again.has(each)) kept.call = call();
      show(state.uploads.map((entry) => (again.has(entry.id) ? { ...entry, state: { status: "waiting" } } : entry)));
      begin();
    },
    clear,
    open() {
      isOpen = true;
    },
    close() {
      isOpen = false;
      for (const id of behind.keys()) stop(id);
      behind.clear();
      if (state !== emptyList) {
        state = emptyList;
        for (const listener of listeners) listener();
      }
    },
  };
}
