import type { KitOptions, Source, UploadEncryptedOptions, UploadOptions } from "keeplight";
import { useInsertionEffect, useMemo, useRef, useSyncExternalStore } from "react";
import type { DistributiveOmit } from "./bound-kit.ts";
import { useProvided } from "./kit-provider.ts";
import { useLatest } from "./store.ts";
import type { UploadEntry } from "./upload-entry.ts";
import type { UploadKind } from "./upload-manager.ts";
import { emptyList, type UploadTotal } from "./upload-total.ts";

/** Options of one upload of {@link useUpload}: those of `upload`, without what the hook sets itself. */
export type UseUploadOptions = DistributiveOmit<KitOptions<UploadOptions>, "signal" | "onProgress">;

/** Options of one upload of {@link useUploadEncrypted}. */
export type UseUploadEncryptedOptions = DistributiveOmit<
  KitOptions<UploadEncryptedOptions>,
  "signal" | "onProgress"
> & {
  /**
   * Uploads the files of one folder by `uploadEncryptedFolder`, so that it keeps its name and its paths.
   *
   * @default false
   */
  keepFolder?: boolean | undefined;
};

/**
 * Uploads files without encrypting them, several at a time, each with its own state, progress, abort and retry.
 * They belong to the provider: they continue, and are shown again, when this component unmounts and mounts again; when the
 * provider unmounts, they are aborted. An upload belongs to the account that it was added for, and is sent with its kit
 * also after the provider has switched to another account; it fails if that account's signer is needed and rejects.
 *
 * @example
 * const { uploads, upload, abort } = useUpload();
 * <input type="file" multiple onChange={({ target }) => upload(Array.from(target.files ?? []))} />
 */
export function useUpload(options: UseUploadOptions & ListOptions = {}): Uploads<UseUploadOptions> {
  return useUploads<UseUploadOptions>("upload", options);
}

/**
 * Encrypts and uploads files, several at a time, as {@link useUpload} does. Retrying a failed upload whose files are
 * stored resumes with saving their keys.
 *
 * @example
 * const { uploads, upload } = useUploadEncrypted({ shareTo: friend });
 */
export function useUploadEncrypted(
  options: UseUploadEncryptedOptions & ListOptions = {},
): Uploads<UseUploadEncryptedOptions> {
  return useUploads<UseUploadEncryptedOptions>("uploadEncrypted", options);
}

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
   * Retries one failed or aborted upload, several, or all, in the order of `uploads`: with the provider's current options if they are of the same account,
   * else with those that it was added with. If the files are stored, it resumes with saving their keys.
   */
  retry(ids?: string | readonly string[]): void;
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

/** Uploads by a function of the provider's kit, or of its drive. */
export function useUploads<Options extends object>(
  kind: UploadKind,
  { maxAtOnce, list: name = "", ...shared }: Options & ListOptions,
): Uploads<Options> {
  const { uploads: manager } = useProvided();
  const list = useMemo(() => manager.getList<Options>(kind, name), [manager, kind, name]);
  const latest = useLatest(shared);
  useInsertionEffect(() => {
    // A component that only shows the list leaves it as another one has set it.
    if (maxAtOnce !== undefined) list.setMaxAtOnce(maxAtOnce);
  }, [list, maxAtOnce]);
  const showsProgress = useRef(false);
  const getState = () => (showsProgress.current ? list.state() : list.settledState());
  const state = useSyncExternalStore(list.subscribe, getState, () => emptyList);
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

/**
 * One upload of the provider, of any list. Renders at its own changes and progress only, so that a list of many need not
 * render for each of them. `undefined` if it is not in a list any more.
 *
 * @param id - one of {@link useUpload}'s `ids`
 *
 * @example
 * const { ids } = useUpload();
 * return ids.map((id) => <Row key={id} id={id} />); // where a row calls useUploadEntry(id)
 */
export function useUploadEntry(id: string): UploadEntry | undefined {
  const list = useProvided().uploads.findList(id);
  return useSyncExternalStore(
    list?.subscribe ?? subscribeToNothing,
    () => list?.getEntry(id),
    () => undefined,
  );
}

const subscribeToNothing = () => () => undefined;
