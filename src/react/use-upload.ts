import type { UploadEncryptedOptions, UploadOptions } from "../index.ts";
import type { Without } from "./call-options.ts";
import { useKit } from "./kit-provider.ts";
import { type Uploads, useUploads } from "./use-uploads.ts";

/** How a hook lets uploads run beside each other. */
interface AtOnce {
  /** How many uploads run at once. Default 2. */
  maxAtOnce?: number | undefined;
}

/** Options of one upload of {@link useUpload}: those of `upload`, without what the hook does itself. */
export type UseUploadOptions = Omit<UploadOptions, "signal" | "onProgress">;

/** Options of one upload of {@link useUploadEncrypted}. */
export type UseUploadEncryptedOptions = Without<UploadEncryptedOptions, "signal" | "onProgress">;

/**
 * Uploads files as they are, several at a time, each with its own state, progress, abort and retry. They end
 * when the component goes.
 *
 * @example
 * const { uploads, upload, abort } = useUpload();
 * <input type="file" multiple onChange={({ target }) => upload(Array.from(target.files ?? []))} />
 */
export function useUpload(options: UseUploadOptions & AtOnce = {}): Uploads<UseUploadOptions> {
  const kit = useKit();
  return useUploads<UseUploadOptions>(kit.upload, options);
}

/**
 * Encrypts and uploads files, several at a time, as {@link useUpload} does. A failed upload whose files are
 * stored goes on with saving its keys when it is retried.
 *
 * @example
 * const { uploads, upload } = useUploadEncrypted({ shareTo: friend });
 */
export function useUploadEncrypted(
  options: UseUploadEncryptedOptions & AtOnce = {},
): Uploads<UseUploadEncryptedOptions> {
  const kit = useKit();
  return useUploads<UseUploadEncryptedOptions>(kit.uploadEncrypted, options);
}
