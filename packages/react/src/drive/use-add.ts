import type { AddOptions } from "@keeplight/drive";
import type { DistributiveOmit } from "../bound-kit.ts";
import { type ListOptions, type Uploads, useUploads } from "../use-upload.ts";

/** Options of one upload of {@link useAdd}: those of `drive.add`, without what the hook sets itself. */
export type UseAddOptions = DistributiveOmit<AddOptions, "signal" | "onProgress" | "journal">;

/**
 * Adds files and folders to the drive, several at a time, as `useUploadEncrypted` uploads them: they are stored under random
 * names, and belong to the provider. Those that are added before the drive is open wait for it; if it cannot be opened, they
 * fail with `DRIVE_NOT_OPEN`, or with `NETWORK`, and a retry opens it again.
 *
 * @example
 * const { uploads, upload } = useAdd({ folder: "Photos" });
 * <input type="file" multiple onChange={({ target }) => upload(Array.from(target.files ?? []))} />
 */
export function useAdd(options: UseAddOptions & ListOptions = {}): Uploads<UseAddOptions> {
  return useUploads<UseAddOptions>("add", options);
}
