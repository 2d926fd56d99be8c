import { isKeeplightError, KeeplightError, type UploadEncryptedOptions } from "keeplight";
import {
  type Check,
  callSchema,
  hashFolder,
  invalidOption,
  isKnown,
  isOptions,
  pickOptions,
  type Resolved,
  resolveOptions,
  sendFolder,
  uploadEncryptedSchema,
} from "keeplight/parts";
import type { RowChange } from "../ledger/ledger.ts";
import type { BatchFile } from "./batch-files.ts";
import { endsRun, getFileName } from "./classify-error.ts";
import type { BatchSender } from "./run-batch.ts";

/** Options of the uploads of a plan: those of `upload`, or of `uploadEncrypted` if its files are encrypted. */
export type BulkUploadOptions = Optional<
  Omit<
    UploadEncryptedOptions,
    "name" | "wrapWithDirectory" | "verifyCid" | "journal" | "onProgress" | "signal" | "via" | "recovery" | "recoveryTo"
  >
>;

type Optional<Options> = { [Name in keyof Options]?: Options[Name] | undefined };

export type ResolvedUpload = Resolved<typeof uploadEncryptedSchema>;

/** Plans may be encrypted or not: these are the options of both. */
function resolveUpload(upload: unknown, name: string): ResolvedUpload {
  if (!isOptions(upload)) throw invalidOption(name, "the options of each upload, with an apiKey");
  try {
    return resolveOptions(uploadEncryptedSchema, upload);
  } catch (error) {
    throw isKeeplightError(error, "INVALID_OPTION") ? toNested(error, name) : error;
  }
}

/** Names an option by the path to it: it is one of the options that `group` has. */
function toNested({ message, details, cause }: KeeplightError<"INVALID_OPTION">, group: string): KeeplightError {
  const toPath = (name: string | undefined) => (name === undefined ? undefined : `${group}.${name}`);
  return new KeeplightError("INVALID_OPTION", message.replace(/^\w+ option |: did you mean /g, `$&${group}.`), {
    details: { ...details, option: toPath(details.option), nearest: toPath(details.nearest) },
    cause,
  });
}

/** Wallets are recognised by their identity. */
export const uploadCheck: Check<ResolvedUpload> = Object.assign(resolveUpload, { isReference: true as const });

/**
 * Creates what sends the files of batches as they are. Each batch is stored as one folder, whose content id covers all of its
 * files: the upload node's response is accepted only if it names the id that was computed while the files were sent.
 */
export function createPlainSender(upload: ResolvedUpload): BatchSender {
  return {
    async recover(_rows, files, signal) {
      if (files.length === 0) return [];
      const hashed = await hashReadable(files, upload.cidVersion, signal);
      for (const root of hashed?.roots ?? []) {
        if (!(await isKnown(root, { ...pickOptions(upload, callSchema), signal }))) continue;
        return files.map((file, at) => toStored(file, hashed?.cids[at], root));
      }
      return [];
    },
    async send(files, signal) {
      const { cids, root } = await sendFolder(files, { ...upload, signal });
      return files.map((file, at) => toStored(file, cids[at], root));
    },
    saveKeys: async () => [],
    settle: async () => undefined,
  };
}

function toStored({ row }: BatchFile, cid: string | undefined, root: string | undefined): RowChange {
  return { index: row.index, from: "sent", to: "stored", cid, root };
}

/**
 * Computes the content ids of files and of their folder; `undefined` if a file cannot be read. A store that is down is no such
 * reason: once it is there again, what is stored would be sent again.
 */
async function hashReadable(files: readonly BatchFile[], cidVersion: 0 | 1, signal: AbortSignal) {
  try {
    return await hashFolder(files, cidVersion, signal);
  } catch (error) {
    // Sending it fails for the same reason, which is recorded then.
    if (getFileName(error) !== undefined && !endsRun(error)) return undefined;
    throw error;
  }
}
