import type { RecoverFileKeyOptions } from "../../kavach/keys/recover-file-key.ts";
import type { CallOptions, Optional } from "../../options.ts";

/** Options of `openEncrypted`. */
export type OpenEncryptedOptions = CallOptions &
  (
    | (RecoverFileKeyOptions & { key?: undefined })
    | (Optional<RecoverFileKeyOptions> & {
        /**
         * The file's master key, 64 hex characters, or several, as a recovery kit may have: `commitment` or the file's tag
         * decides. With it no key node is queried and no owner is required.
         */
        key: string | readonly string[];
      })
  ) & {
    /** Accept only the key that {@link commitToKey} returns this for. @default none */
    commitment?: string | undefined;
    /**
     * Prove the key by reading the whole file once and checking its tag: for files of which fewer than four shards are
     * left, and for a `key` without `commitment`.
     *
     * @default false
     */
    authenticate?: boolean | undefined;
  };
