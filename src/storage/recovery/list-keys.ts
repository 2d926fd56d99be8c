import { mapInOrder } from "../../base/async/map-in-order.ts";
import { KEY_NODE_COUNT } from "../../base/config/limits.ts";
import { isKeeplightError, type KeeplightError } from "../../base/errors/base.ts";
import type { ErrorCode } from "../../base/errors/codes.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { checkCid } from "../../formats/cid/check-cid.ts";
import { OVERHEAD_BYTES } from "../../formats/crypto/file-format.ts";
import type { RecoveryEntry, RecoveryKey } from "../../formats/recovery-file/entry.ts";
import { getFileInfo } from "../files/info.ts";
import type { ListedFile } from "../files/list.ts";
import { type KeyRecovery, recoverProvenKey } from "./proven-key.ts";

/** What names a file: its content id, or its row in a listing. */
export type FileToRecover = string | Pick<ListedFile, "cid" | "fileName" | "fileSizeInBytes" | "encryption">;

/** The outcome of one file: its key, or why it could not be recovered. */
export type RecoveredEntry = { key: RecoveryKey } | { entry: RecoveryEntry; error: KeeplightError };

/** What no other file would fare better with. */
const ENDS_ALL = new Set<ErrorCode>([
  "ABORTED",
  "INVALID_ADDRESS",
  "INVALID_OPTION",
  "INVALID_SIGNATURE",
  "MISSING_OWNER",
  "NOT_A_JWT",
  "SIGNATURE_REJECTED",
  "UNEXPECTED_MESSAGE",
]);

/**
 * Recovers the keys of encrypted files, several at once, and yields the outcome of each, in order. Files that a listing
 * says are not encrypted are left out.
 *
 * @throws `ABORTED`; what the owner's sign-in throws; what listing the files throws
 */
export async function* listKeys(
  files: Iterable<FileToRecover> | AsyncIterable<FileToRecover>,
  options: KeyRecovery,
): AsyncGenerator<RecoveredEntry> {
  // Of each file as many requests are in flight as nodes are called at once.
  const each = options.pacing === "parallel" ? KEY_NODE_COUNT : 1;
  const limit = Math.max(1, Math.floor(options.maxInFlight / each));
  const outcomes = mapInOrder(files, { limit, signal: options.signal }, (file, signal) =>
    isPublic(file) ? Promise.resolve(undefined) : recoverEntry(file, { ...options, signal }),
  );
  for await (const outcome of outcomes) if (outcome) yield outcome;
}

function isPublic(file: FileToRecover): boolean {
  return typeof file === "object" && file !== null && file.encryption === false;
}

async function recoverEntry(file: FileToRecover, options: KeyRecovery): Promise<RecoveredEntry> {
  let entry = toEntry(file);
  try {
    entry = { ...entry, cid: checkCid(entry.cid) };
    const masterKey = await recoverProvenKey(entry.cid, options);
    if (typeof file === "string") entry = await withInfo(entry, options);
    return { key: { ...entry, masterKey } };
  } catch (error) {
    if (!isKeeplightError(error) || ENDS_ALL.has(error.code)) throw error;
    return { entry, error };
  }
}

function toEntry(file: FileToRecover): RecoveryEntry {
  if (typeof file === "string") return { cid: file, name: null, size: null };
  if (typeof file !== "object" || file === null) throw invalidOption("files", "content ids or rows of a listing");
  return { cid: file.cid, name: file.fileName ?? null, size: toPlaintextSize(file.fileSizeInBytes) };
}

/** Adds the name and size that the network knows; a key is worth keeping without them. */
async function withInfo(entry: RecoveryEntry, options: KeyRecovery): Promise<RecoveryEntry> {
  const { signal, timeoutMs, endpoints } = options;
  try {
    const { fileName, fileSizeInBytes } = await getFileInfo(entry.cid, { signal, timeoutMs, endpoints });
    return { ...entry, name: fileName, size: toPlaintextSize(fileSizeInBytes) };
  } catch (error) {
    if (!isKeeplightError(error) || ENDS_ALL.has(error.code)) throw error;
    return entry;
  }
}

function toPlaintextSize(stored: string | null): number | null {
  const size = Number(stored ?? Number.NaN) - OVERHEAD_BYTES;
  return Number.isSafeInteger(size) && size >= 0 ? size : null;
}
