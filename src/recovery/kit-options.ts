import type { KeeplightError } from "../errors/base.ts";
import type { RecoverFileKeyOptions } from "../kavach/keys/recover-file-key.ts";
import type { RecoveryEntry } from "../recovery-file/entry.ts";
import type { AsBlob, AsBytes, ToPath } from "../transfer/download/output.ts";

/** Who can open a recovery kit. */
export type KitTarget =
  | {
      /** age recipients (`age1…`, of X25519), such as that of {@link createRecoveryIdentity}. */
      recipients: string | readonly string[];
      /** Excluded by `recipients`. */
      passphrase?: undefined;
    }
  | {
      /** Everyone who guesses it has all keys: use several random words. */
      passphrase: string;
      /** Excluded by `passphrase`. */
      recipients?: undefined;
    };

/** Options of {@link makeRecoveryKit}. */
export type RecoveryKitOptions = RecoverFileKeyOptions & KitTarget;

/** A file whose key is not in the kit. */
export interface KitFailure {
  /** Of the file. */
  cid: string;
  /** As uploaded; `null` if unknown. */
  name: string | null;
  /** As in a {@link KeeplightError}. */
  code: string;
  /** Why its key could not be recovered. */
  message: string;
}

/** Where a kit is written and what the call returns. */
export type KitOutput = ToPath | AsBlob | AsBytes;

/** Result of {@link makeRecoveryKit}. */
export interface MadeKit<Output> {
  /** The age file, or where it was saved. */
  kit: Output;
  /** How many files' keys it holds. */
  files: number;
  /** The files whose key could not be recovered. */
  failures: KitFailure[];
}

/** Options of {@link openRecoveryKit}. */
export type OpenKitOptions = {
  /** Ends the call. @default none */
  signal?: AbortSignal | undefined;
} & (
  | {
      /** The age identity (`AGE-SECRET-KEY-1…`) that the kit was made for. */
      identity: string;
      /** Excluded by `identity`. */
      passphrase?: undefined;
    }
  | {
      /** The passphrase that the kit was made with. */
      passphrase: string;
      /** Excluded by `passphrase`. */
      identity?: undefined;
    }
);

/** What is in a recovery kit, and could not be read to its end. */
export interface UnreadKitFile {
  /** Its name, safe to print. */
  file: string;
  /** Why: `CANNOT_DECRYPT`, `INVALID_KIT`, `COMMITMENT_MISMATCH`, or that it could not be read. */
  error: KeeplightError;
}

/** An opened recovery kit. Its keys are not part of what `console.log` prints. */
export interface RecoveryKit {
  /**
   * The files whose keys it holds, each once. Everyone who knows the recipient, or the passphrase, can add to a kit: names
   * and sizes are unverified, and whether a key is right shows when it opens the file.
   */
  entries: RecoveryEntry[];
  /** The kit's own files that could not be read to their ends. What was read before the failure is in `entries`. */
  unread: UnreadKitFile[];
  /**
   * Returns the keys that the kit holds for a file, in the order of its files, for the option `key` of {@link decrypt},
   * which finds the right one. There is one, unless somebody added another. Throws `NOT_IN_KIT` if the kit holds none.
   */
  keys(cid: string): string[];
}
