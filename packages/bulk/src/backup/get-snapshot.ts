import {
  type BearerOptions,
  isKeeplightError,
  iterateFiles,
  type OpenEncryptedOptions,
  openEncrypted,
  type RecoverFileKeyOptions,
} from "keeplight";
import {
  bearerSchema,
  checkCid,
  mapInOrder,
  mixedSchema,
  type OptionSchema,
  openByKeys,
  pickOptions,
  type Resolved,
  recoverFileKeySchema,
  resolveOptions,
} from "keeplight/parts";
import { type BackupAccount, backupAccountSchema, type ResolvedAccount } from "./backup-options.ts";
import {
  invalidSnapshot,
  isHeader,
  MAX_HEADER_BYTES,
  parseHeader,
  parseStoredName,
  type Snapshot,
} from "./snapshot-format.ts";

export const snapshotSchema = { ...recoverFileKeySchema, ...mixedSchema } satisfies OptionSchema<RecoverFileKeyOptions>;

type ResolvedReading = Resolved<typeof snapshotSchema>;

/**
 * Reads what a snapshot says about itself: its first block, verified, with a key that any three of the key nodes have.
 *
 * @throws `INVALID_SNAPSHOT` for another file; `KEY_NOT_PROVED` for one that is another file or has another key, and of whose key
 * fewer than four shards agree; what `openEncrypted` throws
 *
 * @example
 * const { name, createdAt } = await getSnapshot(cid, { signer });
 */
export async function getSnapshot(cid: string, options: RecoverFileKeyOptions): Promise<Snapshot> {
  return readSnapshot(cid, resolveOptions(snapshotSchema, options));
}

async function readSnapshot(cid: string, options: ResolvedReading): Promise<Snapshot> {
  cid = checkCid(cid);
  for await (const file of openByKeys(cid, options)) {
    const line = parseFirstLine(await file.read(0, Math.min(file.size, MAX_HEADER_BYTES)));
    // No other key decrypts a verified block to the start of a snapshot: it proves the key.
    if (!isHeader(line)) continue;
    const { key: _, ...snapshot } = parseHeader(cid, line);
    return { cid, ...snapshot };
  }
  // A key that nodes have made up says nothing about the file.
  await openEncrypted(cid, options as OpenEncryptedOptions);
  throw invalidSnapshot(cid, "it is another file");
}

function parseFirstLine(bytes: Uint8Array): unknown {
  try {
    const [line = ""] = new TextDecoder().decode(bytes).split("\n");
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The snapshots of an account. */
export interface SnapshotList {
  /** Newest first. */
  snapshots: Snapshot[];
  /** Files that are named like snapshots and could not be opened. */
  unread: {
    /** Content id. */
    cid: string;
    /** Code of the error. */
    code: string;
  }[];
}

const OPENED_AT_ONCE = 4;

/**
 * Lists the snapshots of an account, those of other machines, too. Each is opened: nothing that the listing of the account says
 * is trusted, but that it is complete.
 *
 * @throws `MISSING_API_KEY`, `MISSING_OWNER`; what `iterateFiles` throws; `ABORTED`
 *
 * @example
 * const { snapshots } = await listSnapshots({ apiKey, signer });
 */
export async function listSnapshots(options: BackupAccount): Promise<SnapshotList> {
  const account = resolveOptions(backupAccountSchema, options);
  const { apiKey: _, ...owner } = account;
  const reading = resolveOptions(snapshotSchema, owner);
  const list: SnapshotList = { snapshots: [], unread: [] };

  async function open({ cid, set }: { cid: string; set: string }): Promise<void> {
    try {
      const snapshot = await readSnapshot(cid, reading);
      if (snapshot.set !== set) throw invalidSnapshot(cid, "its name is that of another set");
      list.snapshots.push(snapshot);
    } catch (error) {
      if (!isKeeplightError(error) || ENDING.has(error.code)) throw error;
      list.unread.push({ cid, code: error.code });
    }
  }

  /** Yields what is named like a snapshot, each content id once. */
  async function* listStored(): AsyncGenerator<{ cid: string; set: string }> {
    const seen = new Set<string>();
    for await (const { file, name } of listNamed(account)) {
      if (name.run !== undefined || seen.has(file.cid)) continue;
      seen.add(file.cid);
      yield { cid: file.cid, set: name.set };
    }
  }

  for await (const _ of mapInOrder(listStored(), { limit: OPENED_AT_ONCE, signal: account.signal }, open));
  list.snapshots.sort((a, b) => b.createdAt - a.createdAt);
  return list;
}

/** Errors that every snapshot would end in. */
const ENDING = new Set(["ABORTED", "MISSING_OWNER", "SIGNATURE_REJECTED", "INVALID_SIGNATURE", "INVALID_OPTION"]);

/** Yields what an account has under names of batches and snapshots, with what those say. */
export async function* listNamed(account: ResolvedAccount) {
  const bearer = pickOptions(account, bearerSchema) as BearerOptions;
  for await (const file of iterateFiles({ ...bearer, maxRows: Number.MAX_SAFE_INTEGER })) {
    const name = parseStoredName(file.fileName ?? "");
    if (name) yield { file, name };
  }
}
