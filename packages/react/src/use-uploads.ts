import type { Source } from "keeplight";
import { useInsertionEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { useUploadManager } from "./kit-provider.ts";
import { emptyList, type UploadListState } from "./upload-entries.ts";
import type { UploadEntry } from "./upload-entry.ts";
import type { UploadKind } from "./upload-manager.ts";
import type { UploadTotal } from "./upload-total.ts";
import { useLatest } from "./use-latest.ts";

/** What {@link useUpload} and {@link useUploadEncrypted} return. The functions keep their identity. */
export interface Uploads<Options> {
  /**
   * All of them, in the order they were added. A component that reads this, or `total`, renders at each progress, at most
   * once per frame; one that reads neither renders when an upload is added, removed, or changes its status.
   */
  readonly uploads: readonly UploadEntry[];
  /** Of all uploads together. */
  readonly total: UploadTotal;
  /** For `useUploadEntry`: the ids of all of them, the same array until an upload is added or removed. */
  ids: readonly string[];
  /** Starts an upload for each source; returns their ids. Errors are in `uploads`. */
  upload(sources: readonly Source[], options?: Options): string[];
  /** Aborts the upload with this id, or all that are waiting or running. */
  abort(id?: string): void;
  /**
   * Retries one failed or aborted upload, or all: with the provider's current options if they are of the same account,
   * else with those that it was added with. If the files are stored, it resumes with saving their keys.
   */
  retry(id?: string): void;
  /** Aborts and removes one upload, or removes all that are over. */
  clear(id?: string): void;
}

/** Options of a list. */
export interface ListOptions {
  /**
   * How many uploads run at once.
   *
   * @default 2
   */
  maxAtOnce?: number | undefined;
  /**
   * Name of the list: components that pass the same one share it.
   *
   * @default one list for all `useUpload()`, another one for all `useUploadEncrypted()`
   */
  list?: string | undefined;
}

/** Uploads by a function of the provider's kit. */
export function useUploads<Options extends object>(
  kind: UploadKind,
  { maxAtOnce, list: name = "", ...shared }: Options & ListOptions,
): Uploads<Options> {
  const manager = useUploadManager();
  const list = useMemo(() => manager.getList<Options>(kind, name), [manager, kind, name]);
  const latest = useLatest(shared);
  useInsertionEffect(() => list.setMaxAtOnce(maxAtOnce), [list, maxAtOnce]);
  const showsProgress = useRef(false);
  const getState = () => (showsProgress.current ? list.state() : list.settledState());
  const state = useSyncExternalStore(list.subscribe, getState, getServerState);
  const calls = useMemo(() => {
    const upload = (sources: readonly Source[], own?: Options) =>
      list.add(sources, { ...latest.current, ...own } as unknown as Options);
    return { upload, abort: list.abort, retry: list.retry, clear: list.clear };
  }, [list, latest]);
  return {
    ...calls,
    ids: state.ids,
    get uploads() {
      showsProgress.current = true;
      return state.uploads;
    },
    get total() {
      showsProgress.current = true;
      return state.total;
    },
  };
}

function getServerState(): UploadListState {
  return emptyList;
}
