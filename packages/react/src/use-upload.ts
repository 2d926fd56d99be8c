import type { KitOptions, UploadEncryptedOptions, UploadOptions } from "keeplight";
import type { DistributiveOmit } from "./call-options.ts";
import { type ListOptions, type Uploads, useUploads } from "./use-uploads.ts";

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
