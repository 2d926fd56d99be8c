import { invalidOption } from "../../base/errors/input.ts";
import {
  type Check,
  copyInput,
  type Operation,
  type OptionSchema,
  optional,
  resolveOptions,
  signal,
  unchecked,
} from "../../base/operation.ts";
import { mixedSchema } from "../../base/options.ts";
import { type RecoverFileKeyOptions, recoverFileKeySchema } from "../../keys/file-keys/recover-file-key.ts";
import type { SavedFile } from "../../platform/saved-file.ts";
import { type AsBlob, type AsBytes, checkOutput, outputSchema, type ToPath } from "../download/output.ts";
import { copySource, type Source } from "../upload/source.ts";
import type { RecoveryKit } from "./read-kit.ts";
import type { FilesToRecover, MadeKit } from "./write-kit.ts";

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

/** Where a kit is written and what the call returns. */
export type KitOutput = ToPath | AsBlob | AsBytes;

const passphrase: Check<string> = (value, name) => {
  if (typeof value !== "string" || value === "") throw invalidOption(name, "a non-empty string");
  return value;
};

const makeKitSchema = {
  ...recoverFileKeySchema,
  ...mixedSchema,
  ...outputSchema,
  recipients: optional((value): string[] => (typeof value === "string" ? [value] : Array.isArray(value) ? value : [])),
  passphrase: optional(passphrase),
} satisfies OptionSchema<RecoveryKitOptions & KitOutput>;

export const makeRecoveryKitOperation = { options: makeKitSchema } satisfies Operation<RecoveryKitOptions & KitOutput>;

/**
 * Recovers the keys of encrypted files from the key nodes and writes them to an age file (age-encryption.org/v1), which
 * opens the files without the key nodes: one line of JSON per file, with `cid`, `name`, `size`, `masterKey` and
 * `commitment`. Memory use does not depend on the number of files, and no key is ever written unencrypted. Each key is
 * proved before it is written, by four shards that agree or by the stored file. `to` must not exist yet; in Node the
 * file gets mode 0600.
 *
 * @param files - content ids or rows of a listing, as from `iterateFiles()`; those that are not encrypted are left out
 * @returns the kit by the options (`to`, `as`), and which files are not in it
 * @throws `MISSING_OWNER`, `INVALID_OPTION`, `INVALID_SIGNATURE`, `SIGNATURE_REJECTED`, `CANNOT_WRITE`, `ABORTED`; what
 * listing the files throws; if no key at all could be recovered, why not. Nothing is left at `to` after a failure
 *
 * @example
 * const { failures } = await makeRecoveryKit(iterateFiles({ apiKey }), { signer, recipients: "age1…", to: "./kit.age" });
 */
export function makeRecoveryKit(
  files: FilesToRecover,
  options: RecoveryKitOptions & ToPath,
): Promise<MadeKit<SavedFile>>;
export function makeRecoveryKit(files: FilesToRecover, options: RecoveryKitOptions & AsBlob): Promise<MadeKit<Blob>>;
export function makeRecoveryKit(
  files: FilesToRecover,
  options: RecoveryKitOptions & AsBytes,
): Promise<MadeKit<Uint8Array<ArrayBuffer>>>;
export async function makeRecoveryKit(
  files: FilesToRecover,
  options: RecoveryKitOptions & KitOutput,
): Promise<MadeKit<unknown>> {
  const { recipients, passphrase, ...recovering } = resolveOptions(makeKitSchema, options);
  checkOutput(recovering);
  if (recipients !== undefined && passphrase !== undefined)
    throw invalidOption("passphrase", "nothing beside recipients");
  files = copyInput(files, "files");
  const { writeKit } = await import("./lazy.ts");
  return writeKit(files, passphrase === undefined ? { recipients: recipients ?? [] } : { passphrase }, recovering);
}

/** {@link makeRecoveryKit} with other options. */
export interface MakeRecoveryKit<Options> {
  (files: FilesToRecover, options: Options & ToPath): Promise<MadeKit<SavedFile>>;
  (files: FilesToRecover, options: Options & AsBlob): Promise<MadeKit<Blob>>;
  (files: FilesToRecover, options: Options & AsBytes): Promise<MadeKit<Uint8Array<ArrayBuffer>>>;
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

const openKitSchema = {
  signal,
  identity: unchecked<string>(),
  passphrase: optional(passphrase),
} satisfies OptionSchema<OpenKitOptions>;

/**
 * Opens a recovery kit: an age file of {@link makeRecoveryKit}, or a folder of those that encrypted uploads have added.
 * Opens what can be opened, and reports the rest in `unread`. Names and sizes are unverified: whoever knows the recipient
 * can add to a kit.
 *
 * @param source - in Node a path; bytes, a Blob or a stream; or several of these. Of a folder, the files `*.age` are read
 * @throws `INVALID_OPTION`, `INVALID_SOURCE`, `ABORTED`; if no file of the kit can be read, why not the first one:
 * `SOURCE_UNREADABLE`; `CANNOT_DECRYPT` for a wrong identity or passphrase and for a damaged or truncated file
 * (`details.file`); `INVALID_KIT` for other content than a kit's; `COMMITMENT_MISMATCH` for a key that does not belong to
 * its file
 *
 * @example
 * const kit = await openRecoveryKit("./kit.age", { identity });
 * for (const { cid } of kit.entries) await decrypt(cid, { key: kit.keys(cid), to: `./${cid}` });
 */
export async function openRecoveryKit(source: Source, options: OpenKitOptions): Promise<RecoveryKit> {
  const { signal, identity, passphrase } = resolveOptions(openKitSchema, options);
  if (identity !== undefined && passphrase !== undefined) throw invalidOption("passphrase", "nothing beside identity");
  source = copySource(source);
  const { readKit } = await import("./lazy.ts");
  return readKit(source, passphrase === undefined ? { identity: identity ?? "" } : { passphrase }, signal);
}
