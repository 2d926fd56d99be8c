import { useState, useSyncExternalStore } from "react";
import type { Source } from "../index.ts";
import { emptyList, type UploadListState } from "./upload-entries.ts";
import type { UploadEntry } from "./upload-entry.ts";
import { createUploadList, type UploadCall } from "./upload-list.ts";
import type { UploadTotal } from "./upload-total.ts";
import { useLatest } from "./use-latest.ts";
import { useLifetime } from "./use-lifetime.ts";

/** How many uploads run at once by default. */
const DEFAULT_MAX_AT_ONCE = 2;

/** What {@link useUpload} and {@link useUploadEncrypted} return. The functions keep their identity. */
export interface Uploads<Options> {
  /** All of them, in the order they were added. */
  uploads: readonly UploadEntry[];
  /** Of all uploads together. Progress is updated at most once per frame. */
  total: UploadTotal;
  /** Starts an upload for each source; returns their ids. Errors are in `uploads`. */
  upload(sources: readonly Source[], options?: Options): string[];
  /** Aborts the upload with this id, or all that are waiting or running. */
  abort(id?: string): void;
  /** Retries one failed or aborted upload, or all. If the files are stored, it resumes with saving their keys. */
  retry(id?: string): void;
  /** Aborts and removes one upload, or removes all that are over. */
  clear(id?: string): void;
}

/** Runs uploads by `call`, and aborts them on unmount. */
export function useUploads<Options extends object>(
  call: UploadCall<Options>,
  options: Options & { maxAtOnce?: number | undefined },
): Uploads<Options> {
  const latest = useLatest({ call, options });
  const [{ list, upload }] = useState(() => {
    const created = createUploadList<Options>(
      () => {
        const { call: currentCall, options: hookOptions } = latest.current;
        const { maxAtOnce: _, ...shared } = hookOptions;
        return (source, own) => currentCall(source, { ...shared, ...own } as typeof own);
      },
      () => latest.current.options.maxAtOnce ?? DEFAULT_MAX_AT_ONCE,
    );
    return {
      list: created,
      upload: (sources: readonly Source[], callOptions?: Options) =>
        created.add(sources, callOptions ?? ({} as Options)),
    };
  });
  useLifetime(list);
  const state = useSyncExternalStore(list.subscribe, list.state, getServerState);
  return { ...state, upload, abort: list.abort, retry: list.retry, clear: list.clear };
}

function getServerState(): UploadListState {
  return emptyList;
}
