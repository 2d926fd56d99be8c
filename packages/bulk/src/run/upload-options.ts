import type { UploadEncryptedOptions } from "keeplight";
import {
  type Check,
  invalidOption,
  isOptions,
  type Resolved,
  resolveOptions,
  uploadEncryptedSchema,
} from "keeplight/parts";

/** Options of the uploads of a plan: those of `upload`, or of `uploadEncrypted` if its files are encrypted. */
export type BulkUploadOptions = Optional<
  Omit<
    UploadEncryptedOptions,
    "name" | "wrapWithDirectory" | "verifyCid" | "journal" | "onProgress" | "signal" | "via" | "recovery" | "recoveryTo"
  >
>;

type Optional<Options> = { [Name in keyof Options]?: Options[Name] | undefined };

/** {@link BulkUploadOptions}, checked and with their defaults. */
export type ResolvedUpload = Resolved<typeof uploadEncryptedSchema>;

/** Plans may be encrypted or not: these are the options of both. */
function resolveUpload(upload: unknown, name: string): ResolvedUpload {
  if (!isOptions(upload)) throw invalidOption(name, "the options of each upload, with an apiKey");
  return resolveOptions(uploadEncryptedSchema, upload);
}

/** Checks {@link BulkUploadOptions}. Wallets in them are recognised by their identity. */
export const uploadCheck: Check<ResolvedUpload> = Object.assign(resolveUpload, { isReference: true as const });
