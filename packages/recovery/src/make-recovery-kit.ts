import {
  type AsBlob,
  type AsBytes,
  type ErrorCode,
  getFileInfo,
  isKeeplightError,
  type KeeplightError,
  type ListedFile,
  type RecoverFileKeyOptions,
  type SavedFile,
  type ToPath,
} from "keeplight";
import {
  cannotWrite,
  checkCid,
  checkOutput,
  copyInput,
  encryptedSize,
  formatEntry,
  invalidOption,
  listSourceFiles,
  loadAge,
  mapInOrder,
  mixedSchema,
  type OptionSchema,
  optional,
  outputSchema,
  type RecoveryEntry,
  type RecoveryKey,
  type Resolved,
  recoverFileKeySchema,
  recoverProvenKey,
  resolveOptions,
  signInToKeyNodes,
  writeOutput,
} from "keeplight/parts";
import { passphrase } from "./passphrase.ts";

/** Who can open a recovery kit. */
export type KitTarget =
  | {
      /** age recipients (`age1…`, of X25519), such as that of `createRecoveryIdentity`. */
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

/** What names a file: its content id, or its row in a listing. */
export type FileToRecover = string | Pick<ListedFile, "cid" | "fileName" | "fileSizeInBytes" | "encryption">;

/** Files whose keys to recover. */
export type FilesToRecover = Iterable<FileToRecover> | AsyncIterable<FileToRecover>;

/** A file whose key is not in the kit. */
export interface KitFailure {
  /** Of the file. */
  cid: string;
  /** As uploaded; `null` if unknown. */
  name: string | null;
  /** As in a `KeeplightError`. */
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

const recoverySchema = { ...recoverFileKeySchema, ...mixedSchema };

type KeyRecovery = Resolved<typeof recoverySchema>;

const schema = {
  ...recoverySchema,
  ...outputSchema,
  recipients: optional((value): string[] => (typeof value === "string" ? [value] : Array.isArray(value) ? value : [])),
  passphrase: optional(passphrase),
} satisfies OptionSchema<RecoveryKitOptions & KitOutput>;

/** Most requests for one key that are in flight at once: one to each node. */
const KEY_NODES = 5;

/**
 * Recovers the keys of encrypted files from the key nodes and writes them to an age file (age-encryption.org/v1), which
 * opens the files without the key nodes: one line of JSON per file, with `cid`, `name`, `size`, `masterKey` and
 * `commitment`. Memory use does not depend on the number of files, and no key is ever written unencrypted. Each key is
 * proved before it is written, by four shards that agree or by the stored file. `to` must not exist yet, nor appear before
 * the end; in Node the file gets mode 0600.
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
  const { recipients, passphrase, to, as, ...call } = resolveOptions(schema, options);
  checkOutput({ to, as });
  if (recipients !== undefined && passphrase !== undefined)
    throw invalidOption("passphrase", "nothing beside recipients");
  files = copyInput(files, "files");
  const { createAgeEncryption } = await loadAge();
  const target = passphrase === undefined ? { recipients: recipients ?? [] } : { passphrase };
  const encrypt = await createAgeEncryption(target, call.signal);
  if (!encrypt) throw invalidOption("recipients", "age recipients (age1…, of X25519), or a passphrase");
  const nodesFailure = await signInToKeyNodes(call);
  if (nodesFailure) throw nodesFailure;
  if (to !== undefined) await refuseExisting(to, call.signal);
  const failures: KitFailure[] = [];
  let count = 0;

  async function* lines(): AsyncGenerator<Uint8Array> {
    let firstError: KeeplightError | undefined;
    for await (const outcome of recoverAll(files, call)) {
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
    // One may have appeared meanwhile.
    if (to !== undefined) await refuseExisting(to, call.signal);
  }

  const kit = await writeOutput(encrypt(lines()), { to, as }, call.signal);
  return { kit, files: count, failures };
}

/** An older kit may hold keys that cannot be recovered any more: it is never replaced. */
async function refuseExisting(to: string | URL, signal: AbortSignal | undefined): Promise<void> {
  try {
    await listSourceFiles(to, { name: undefined, signal });
  } catch (error) {
    if (isKeeplightError(error, "SOURCE_UNREADABLE")) return;
    throw error;
  }
  throw cannotWrite(String(to), Object.assign(new Error("a file is there already"), { code: "EEXIST" }));
}

/** The outcome of one file: its key, or why it could not be recovered. */
type RecoveredEntry = { key: RecoveryKey } | { entry: RecoveryEntry; error: KeeplightError };

/** Recovers the keys of several files at once, in order; yields `undefined` for files that are not encrypted. */
function recoverAll(files: FilesToRecover, options: KeyRecovery): AsyncIterable<RecoveredEntry | undefined> {
  // Of each file as many requests are in flight as nodes are called at once.
  const each = options.pacing === "parallel" ? KEY_NODES : 1;
  const limit = Math.max(1, Math.floor(options.maxInFlight / each));
  return mapInOrder(files, { limit, signal: options.signal }, async (file, signal) =>
    isPublic(file) ? undefined : recoverEntry(file, { ...options, signal }),
  );
}

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
  return { cid: file.cid, name: toName(file.fileName), size: toPlaintextSize(file.fileSizeInBytes) };
}

/** No file has a longer name, and what the API host sends as one could be longer than a line of a kit that is read. */
const MAX_NAME_CHARACTERS = 10_000;

function toName(name: unknown): string | null {
  return typeof name === "string" && name.length <= MAX_NAME_CHARACTERS ? name : null;
}

/** Adds the name and size that the network knows; a key is worth keeping without them. */
async function withInfo(entry: RecoveryEntry, options: KeyRecovery): Promise<RecoveryEntry> {
  const { signal, timeoutMs, endpoints } = options;
  try {
    const { fileName, fileSizeInBytes } = await getFileInfo(entry.cid, { signal, timeoutMs, endpoints });
    return { ...entry, name: toName(fileName), size: toPlaintextSize(fileSizeInBytes) };
  } catch (error) {
    if (!isKeeplightError(error) || ENDS_ALL.has(error.code)) throw error;
    return entry;
  }
}

function toPlaintextSize(stored: string | null): number | null {
  const size = Number(stored ?? Number.NaN) - encryptedSize(0);
  return Number.isSafeInteger(size) && size >= 0 ? size : null;
}
