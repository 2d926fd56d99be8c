import { filesAt } from "#platform";
import { mapInOrder } from "../../base/async/parallel.ts";
import { KEY_NODE_COUNT } from "../../base/config/limits.ts";
import { type ErrorCode, ignore, isKeeplightError, type KeeplightError } from "../../base/errors/base.ts";
import { cannotWrite, invalidOption } from "../../base/errors/input.ts";
import type { Resolved } from "../../base/operation.ts";
import { writeAll } from "../../base/streams/reading.ts";
import type { AgeTarget } from "../../formats/age-target.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import { OVERHEAD_BYTES } from "../../formats/crypto/file-format.ts";
import { formatEntry, type RecoveryEntry, type RecoveryKey } from "../../formats/recovery-file/entry.ts";
import { resolveOwner } from "../../keys/auth/owner.ts";
import { openKeyNodes } from "../../keys/nodes/node-client.ts";
import { openOutput, type outputSchema } from "../download/output.ts";
import type { ListedFile } from "../files/account-files.ts";
import { getFileInfo } from "../files/info.ts";
import { type KeyRecovery, recoverProvenKey } from "./proven-key.ts";

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

/** Result of {@link makeRecoveryKit}. */
export interface MadeKit<Output> {
  /** The age file, or where it was saved. */
  kit: Output;
  /** How many files' keys it holds. */
  files: number;
  /** The files whose key could not be recovered. */
  failures: KitFailure[];
}

/**
 * Recovers the keys of encrypted files, several at once, and writes them in order. Files that are not encrypted are left
 * out.
 *
 * @throws what `makeRecoveryKit` throws
 */
export async function writeKit(
  files: FilesToRecover,
  target: AgeTarget,
  options: KeyRecovery & Resolved<typeof outputSchema>,
): Promise<MadeKit<unknown>> {
  const { signal, to } = options;
  const { createAgeEncryption } = await import("../../formats/age.ts");
  const encrypt = await createAgeEncryption(target, signal);
  if (!encrypt) throw invalidOption("recipients", "age recipients (age1…, of X25519), or a passphrase");
  await (await resolveOwner(options, openKeyNodes(options))).token();
  if (to !== undefined) await refuseExisting(to, signal);
  const failures: KitFailure[] = [];
  let firstError: KeeplightError | undefined;
  let count = 0;

  // Of each file as many requests are in flight as nodes are called at once.
  const each = options.pacing === "parallel" ? KEY_NODE_COUNT : 1;
  const limit = Math.max(1, Math.floor(options.maxInFlight / each));
  const outcomes = mapInOrder(files, { limit, signal }, async (file, signal) =>
    isPublic(file) ? undefined : recoverEntry(file, { ...options, signal }),
  );

  async function* lines(): AsyncGenerator<Uint8Array> {
    for await (const outcome of outcomes) {
      if (outcome && "key" in outcome) {
        count++;
        yield await formatEntry(outcome.key);
      } else if (outcome) {
        const { entry, error } = outcome;
        firstError ??= error;
        failures.push({ cid: entry.cid, name: entry.name, code: error.code, message: error.message });
      }
    }
    // A kit without any key would only look like one.
    if (count === 0 && firstError) throw firstError;
  }

  const sink = await openOutput(options);
  try {
    await writeAll(sink, encrypt(lines()), signal);
    return { kit: await sink.commit(), files: count, failures };
  } catch (error) {
    await sink.abandon();
    throw error;
  }
}

/** An older kit may hold keys that cannot be recovered any more: it is never replaced. */
async function refuseExisting(to: string | URL, signal: AbortSignal | undefined): Promise<void> {
  const found = await filesAt(to, signal).catch(ignore("SOURCE_UNREADABLE"));
  if (found) throw cannotWrite(String(to), Object.assign(new Error("a file is there already"), { code: "EEXIST" }));
}

/** What names a file: its content id, or its row in a listing. */
export type FileToRecover = string | Pick<ListedFile, "cid" | "fileName" | "fileSizeInBytes" | "encryption">;

/** Files whose keys to recover. */
export type FilesToRecover = Iterable<FileToRecover> | AsyncIterable<FileToRecover>;

/** The outcome of one file: its key, or why it could not be recovered. */
type RecoveredEntry = { key: RecoveryKey } | { entry: RecoveryEntry; error: KeeplightError };

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

/** Whether a listing says that a file is not encrypted. */
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
