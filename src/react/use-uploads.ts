import { useState, useSyncExternalStore } from "react";
import type { Source } from "../index.ts";
import type { UploadEntry, UploadTotal } from "./upload-entry.ts";
import { createUploadList, emptyList, type UploadCall, type UploadListState } from "./upload-list.ts";
import { useLifetime } from "./use-lifetime.ts";
import { useLatest } from "./use-task.ts";

/** How many uploads run at once where nothing else is said. */
const AT_ONCE = 2;

/** What {@link useUpload} and {@link useUploadEncrypted} give. The functions stay the same ones for good. */
export interface Uploads<Options> {
  /** All of them, in the order they were added. */
  uploads: readonly UploadEntry[];
  /** Of all uploads together. */
  total: UploadTotal;
  /** Starts an upload for each source; gives their ids. What goes wrong is told in `uploads`. */
  upload(sources: readonly Source[], options?: Options): string[];
  /** Ends the upload with this id, or all that are waiting or running. */
  abort(id?: string): void;
  /** Does again what failed or was aborted: one, or all. Stored files whose keys are not all saved go on there. */
  retry(id?: string): void;
  /** Takes one off the list, ending it, or all that are over. */
  clear(id?: string): void;
}

/** Uploads by `call` that end when their component goes. */
export function useUploads<Options extends object>(
  call: UploadCall<Options>,
  options: Options & { maxAtOnce?: number | undefined },
): Uploads<Options> {
  const latest = useLatest({ call, options });
  const [{ list, upload }] = useState(() => {
    const created = createUploadList<Options>(
      () => {
        const { call: bound, options: ofHook } = latest.current;
        const { maxAtOnce: _, ...shared } = ofHook;
        return (source, own) => bound(source, { ...shared, ...own } as typeof own);
      },
      () => latest.current.options.maxAtOnce ?? AT_ONCE,
    );
    return {
      list: created,
      upload: (sources: readonly Source[], own?: Options) => created.add(sources, own ?? ({} as Options)),
    };
  });
  useLifetime(list);
  const state = useSyncExternalStore(list.subscribe, list.state, serverState);
  return { ...state, upload, abort: list.abort, retry: list.retry, clear: list.clear };
}

function serverState(): UploadListState {
  return emptyList;
}
