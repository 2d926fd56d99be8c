import {
  type KeyProofOptions,
  keyProofNames,
  type RecoverFileKeyOptions,
  recoverFileKeyNames,
} from "../kavach/keys/recover-file-key.ts";
import type { CallOptions, Optional } from "../options.ts";
import type { DownloadOptions } from "../transfer/download/download.ts";

/** Options of `readEncryptedFolder`. */
export type ReadEncryptedFolderOptions = CallOptions &
  (
    | (RecoverFileKeyOptions & { key?: undefined })
    | (Optional<RecoverFileKeyOptions> & {
        /**
         * The manifest's master key, 64 hex characters, or several, as a recovery kit may have: its tag decides. With it no
         * key node is queried and no owner is required.
         */
        key: string | readonly string[];
      })
  ) &
  KeyProofOptions &
  Pick<DownloadOptions, "verifyCid" | "chunkProfile">;

export const readEncryptedFolderNames = [recoverFileKeyNames, keyProofNames, "key,verifyCid,chunkProfile"] as const;
