import { type BearerOptions, isKeeplightError, iterateFiles } from "keeplight";
import { bearerSchema, mapInOrder, pickOptions, resolveOptions } from "keeplight/parts";
import { type BackupAccount, backupAccountSchema } from "../backup-options.ts";
import { invalidSnapshot } from "../errors.ts";
import { readSnapshot, type Snapshot, snapshotSchema } from "./get-snapshot.ts";
import { parseStoredName } from "./stored-names.ts";

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

/** Snapshots that are opened concurrently. */
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
  const stored = listStored(pickOptions(account, bearerSchema) as BearerOptions);

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

  for await (const _ of mapInOrder(stored, { limit: OPENED_AT_ONCE, signal: account.signal }, open));
  list.snapshots.sort((a, b) => b.createdAt - a.createdAt);
  return list;
}

/** Errors that every snapshot would end in. */
const ENDING = new Set(["ABORTED", "MISSING_OWNER", "SIGNATURE_REJECTED", "INVALID_SIGNATURE", "INVALID_OPTION"]);

/** Yields what the account has under names of snapshots, each content id once. */
async function* listStored(options: BearerOptions): AsyncGenerator<{ cid: string; set: string }> {
  const seen = new Set<string>();
  for await (const { cid, fileName } of iterateFiles({ ...options, maxRows: Number.MAX_SAFE_INTEGER })) {
    const name = parseStoredName(fileName ?? "");
    if (!name || name.run !== undefined || seen.has(cid)) continue;
    seen.add(cid);
    yield { cid, set: name.set };
  }
}
