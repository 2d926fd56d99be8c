import type { KitOptions, UploadEncryptedOptions, UploadOptions } from "../index.ts";
import type { DistributiveOmit } from "./call-options.ts";
import { useKit } from "./kit-provider.ts";
import { type Uploads, useUploads } from "./use-uploads.ts";

/** How many uploads a hook runs concurrently. */
interface ConcurrencyOptions {
  /** How many uploads run at once. Default 2. */
  maxAtOnce?: number | undefined;
}

/** Options of one upload of {@link useUpload}: those of `upload`, without what the hook sets itself. */
export type UseUploadOptions = DistributiveOmit<KitOptions<UploadOptions>, "signal" | "onProgress">;

/** Options of one upload of {@link useUploadEncrypted}. */
export type UseUploadEncryptedOptions = DistributiveOmit<KitOptions<UploadEncryptedOptions>, "signal" | "onProgress">;

/**
 * Uploads files without encrypting them, several at a time, each with its own state, progress, abort and retry.
 * Unmounting aborts them.
 *
 * @example
 * const { uploads, upload, abort } = useUpload();
 * <input type="file" multiple onChange={({ target }) => upload(Array.from(target.files ?? []))} />
 */
export function useUpload(options: UseUploadOptions & ConcurrencyOptions = {}): Uploads<UseUploadOptions> {
  const kit = useKit();
  return useUploads<UseUploadOptions>(kit.upload, options);
}

/**
 * Encrypts and uploads files, several at a time, as {@link useUpload} does. Retrying a failed upload whose files are
 * stored resumes with saving their keys.
 *
 * @example
 * const { uploads, upload } = useUploadEncrypted({ shareTo: friend });
 */
export function useUploadEncrypted(
  options: UseUploadEncryptedOptions & ConcurrencyOptions = {},
): Uploads<UseUploadEncryptedOptions> {
  const kit = useKit();
  return useUploads<UseUploadEncryptedOptions>(kit.uploadEncrypted, options);
}
