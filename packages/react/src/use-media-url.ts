import { createMediaUrl, type MediaFile } from "@keeplight/media";
import type { CallOptions, KitOptions, OpenEncryptedOptions, OpenFile, OpenFileOptions } from "keeplight";
import { useCallback, useMemo, useState } from "react";
import type { DistributiveOmit } from "./bound-kit.ts";
import { toError } from "./errors.ts";
import { useKit } from "./kit-provider.ts";
import { useLatest } from "./store.ts";
import { useLoad } from "./use-load.ts";

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
  const [failed, setFailed] = useState<{ key: object; error: Error }>();

  const { state } = useLoad(async (signal) => {
    const fail = (error: unknown) => setFailed({ key, error: toError(error) });
    if (source === undefined) return { key };
    try {
      const file = typeof source === "string" ? await open(source, signal) : source;
      const { url, revoke } = await createMediaUrl(file, { signal, onError: fail });
      signal.addEventListener("abort", revoke, { once: true });
      if (signal.aborted) revoke();
      return { key, url };
    } catch (error) {
      if (!signal.aborted) fail(error);
      return { key };
    }
  }, key);

  function open(cid: string, signal: AbortSignal): Promise<OpenFile> {
    const { encrypted, ...rest } = latest.current;
    return encrypted
      ? kit.openEncrypted(cid, { ...rest, signal } as KitOptions<OpenEncryptedOptions>)
      : kit.openFile(cid, { ...rest, signal } as OpenFileOptions);
  }

  const retry = useCallback(() => setAttempt((count) => count + 1), []);
  return {
    url: state.value?.key === key ? state.value.url : undefined,
    error: failed?.key === key ? failed.error : undefined,
    retry,
  };
}
