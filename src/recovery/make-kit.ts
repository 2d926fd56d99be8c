import { recoverFileKeyNames } from "../kavach/keys/recover-file-key.ts";
import type { SavedFile } from "../platform/saved-file.ts";
import type { AsBlob, AsBytes, ToPath } from "../transfer/download/output.ts";
import { checkOptions, fromNames } from "../validation/check-options.ts";
import { copyInput } from "../validation/copy-input.ts";
import type { KitOutput, MadeKit, RecoveryKitOptions } from "./kit-options.ts";
import type { FileToRecover } from "./list-keys.ts";

export const recoveryKitNames = [recoverFileKeyNames, "to,as,recipients,passphrase"] as const;

export const makeRecoveryKitOperation = { options: fromNames(recoveryKitNames) };

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
  options = checkOptions(options, recoveryKitNames);
  files = copyInput(files, "files");
  const { writeKit } = await import("./on-demand.ts");
  return writeKit(files, options);
}

/** Files whose keys to recover. */
export type FilesToRecover = Iterable<FileToRecover> | AsyncIterable<FileToRecover>;

/** {@link makeRecoveryKit} with other options. */
export interface MakeRecoveryKit<Options> {
  (files: FilesToRecover, options: Options & ToPath): Promise<MadeKit<SavedFile>>;
  (files: FilesToRecover, options: Options & AsBlob): Promise<MadeKit<Blob>>;
  (files: FilesToRecover, options: Options & AsBytes): Promise<MadeKit<Uint8Array<ArrayBuffer>>>;
}
