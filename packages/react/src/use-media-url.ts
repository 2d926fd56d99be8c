import { createMediaUrl, type MediaFile, type MediaUrl } from "@keeplight/media";
import type { CallOptions, KitOptions, OpenEncryptedOptions, OpenFile, OpenFileOptions } from "keeplight";
import { useCallback, useEffect, useMemo, useState } from "react";
import type { DistributiveOmit } from "./bound-kit.ts";
import { toError } from "./errors.ts";
import { useKit } from "./kit-provider.ts";
import { useLatest } from "./store.ts";
import { useTask } from "./use-task.ts";

/** Options of {@link useMediaUrl}. */
export type UseMediaUrlOptions =
  | (Omit<OpenFileOptions, "signal"> & {
      /** Whether the file is encrypted. @default `false` */
      encrypted?: false | undefined;
    })
  | (DistributiveOmit<KitOptions<OpenEncryptedOptions>, "signal"> & {
      /** Whether the file is encrypted. */
      encrypted: true;
    })
  | (Omit<CallOptions, "signal"> & {
      /** Whether the file is encrypted. */
      encrypted: boolean;
    });

/** What {@link useMediaUrl} returns. */
export interface UseMediaUrl {
  /** For `src`; `undefined` until the file is open. */
  url: string | undefined;
  /** Why the file cannot be opened, or, with a `url`, why a part of it could not be read. */
  error: Error | undefined;
  /** Opens the file again, under a new URL. */
  retry(): void;
}

/**
 * Opens a file for `<video>`, `<audio>`, `<img>` or a viewer of PDF, which read any part of it without downloading the rest.
 * The page's Service Worker has to call `serveMedia`. The URL ends when another file, or another kit, takes its place, and
 * on unmount.
 *
 * @param source - a content id; or a file that is open already, which the options do not apply to; `undefined` for none
 *
 * @example
 * const { url, error } = useMediaUrl(cid, { encrypted: true });
 * return error && !url ? <p>{error.message}</p> : <video src={url} controls />;
 */
export function useMediaUrl(source: string | MediaFile | undefined, options: UseMediaUrlOptions = {}): UseMediaUrl {
  const kit = useKit();
  const latest = useLatest(options);
  const { encrypted } = options;
  const path = "path" in options ? options.path : undefined;
  const [attempt, setAttempt] = useState(0);
  // What the URL is of: no rendering shows that of another file or account.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key's identity stands for all of them.
  const key = useMemo(() => ({}), [kit, source, encrypted, path, attempt]);
  const { store, controls } = useTask<MediaUrl, never>(({ revoke }) => revoke(), key);
  const { state } = controls;
  const [broken, setBroken] = useState<{ key: object; error: Error }>();

  useEffect(() => {
    if (source === undefined || state.status !== "idle") return;
    const open = (cid: string, signal: AbortSignal): Promise<OpenFile> => {
      const { encrypted, ...rest } = latest.current;
      return encrypted
        ? kit.openEncrypted(cid, { ...rest, signal } as KitOptions<OpenEncryptedOptions>)
        : kit.openFile(cid, { ...rest, signal } as OpenFileOptions);
    };
    void store.start(async ({ signal }) => {
      const file = typeof source === "string" ? await open(source, signal) : source;
      return createMediaUrl(file, { signal, onError: (error) => setBroken({ key, error: toError(error) }) });
    });
  }, [kit, source, state, store, key, latest]);

  const retry = useCallback(() => setAttempt((count) => count + 1), []);
  const readError = broken?.key === key ? broken.error : undefined;
  return {
    url: state.status === "done" ? state.result.url : undefined,
    error: state.status === "failed" ? state.error : readError,
    retry,
  };
}
