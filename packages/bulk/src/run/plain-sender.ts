import { isKeeplightError, KeeplightError, type UploadEncryptedOptions } from "keeplight";
import {
  type Check,
  hashFolder,
  invalidOption,
  isOptions,
  type Resolved,
  resolveOptions,
  sendFolder,
  uploadEncryptedSchema,
} from "keeplight/parts";
import type { Ledger, RowChange } from "../ledger/ledger.ts";
import type { BatchFile } from "./batch-files.ts";
import { endsRun, getFileName } from "./classify-error.ts";
import { findOwnFolder } from "./find-own-folder.ts";
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
 * Creates what sends the files of a batch as they are. They are stored as one folder, whose content id covers all of them: the
 * upload node's response is accepted only if it names the id that was computed while the files were sent. Before the last bytes
 * are sent, the ledger has that id, so that what is stored is found although its files may have changed since.
 */
export function createPlainSender(ledger: Ledger, id: string, batch: number, upload: ResolvedUpload): BatchSender {
  return {
    async recover(rows, files, signal) {
      const sent = (await ledger.getSent(id, batch)) ?? { roots: [], cids: {} };
      const recorded = rows.filter(({ index }) => index in sent.cids);
      const root = recorded.length > 0 ? await findOwnFolder(sent.roots, upload, signal) : undefined;
      if (root !== undefined) return recorded.map(({ index }) => toStored(index, sent.cids[index], root));
      // Earlier versions have recorded nothing.
      const unrecorded = files.filter(({ row }) => !(row.index in sent.cids));
      if (unrecorded.length === 0) return [];
      const hashed = await hashReadable(files, upload.cidVersion, signal);
      const other = hashed && (await findOwnFolder(hashed.roots, upload, signal));
      return other === undefined ? [] : files.map(({ row }, at) => toStored(row.index, hashed?.cids[at], other));
    },
    async send(files, signal) {
      const { cids, root } = await sendFolder(files, { ...upload, signal }, (folder) => {
        const byRow = files.map(({ row }, at) => [row.index, folder.cids[at]]);
        return ledger.setSent(id, batch, { roots: folder.roots, cids: Object.fromEntries(byRow) });
      });
      return files.map(({ row }, at) => toStored(row.index, cids[at], root));
    },
    saveKeys: async () => [],
    settle: async () => undefined,
  };
}

function toStored(index: number, cid: string | undefined, root: string | undefined): RowChange {
  return { index, from: "sent", to: "stored", cid, root };
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
