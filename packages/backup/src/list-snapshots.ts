import { isKeeplightError } from "keeplight";
import { mapInOrder, type OptionSchema, resolveOptions } from "keeplight/parts";
import { tagList } from "./checks.ts";
import { readFirstSnapshot } from "./first-format/read-first-snapshot.ts";
import { findLatest, type StoredSnapshot } from "./needs.ts";
import { type AccountOptions, accountSchema, type ResolvedAccount } from "./options.ts";
import { listStored, type StoredFile } from "./remote.ts";
import { listOrphans, openRepositories } from "./repository.ts";
import { describeSnapshot, readSnapshots, type Snapshot } from "./snapshot.ts";

/** Options of {@link listSnapshots}. */
export type ListSnapshotsOptions = AccountOptions & {
  /** Only snapshots that have all of these tags. @default all */
  tags?: readonly string[] | undefined;
};

const schema = { ...accountSchema, tags: tagList } satisfies OptionSchema<ListSnapshotsOptions>;

/** The snapshots of an account. */
export interface SnapshotList {
  /** Newest first. */
  snapshots: Snapshot[];
  /** Files that are named like snapshots and could not be read. */
  unread: {
    /** Content id. */
    cid: string;
    /** Code of the error. */
    code: string;
  }[];
}

/**
 * Lists the snapshots of an account, those of other machines, too. Each is opened: nothing that the listing of the account says
 * is trusted, but that it is complete.
 *
 * @throws `MISSING_API_KEY`, `MISSING_OWNER`; what `iterateFiles` and `decrypt` throw; `ABORTED`
 *
 * @example
 * const { snapshots } = await listSnapshots({ apiKey, signer });
 */
export async function listSnapshots(options: ListSnapshotsOptions): Promise<SnapshotList> {
  const { tags, ...account } = resolveOptions(schema, options);
  const list = await readAll(account);
  return { ...list, snapshots: list.snapshots.filter((each) => tags.every((tag) => each.tags.includes(tag))) };
}

async function readAll(account: ResolvedAccount): Promise<SnapshotList> {
  const stored = await listStored(account);
  const found: StoredSnapshot[] = [];
  const first: Snapshot[] = [];
  const unread = new Map<string, string>();
  const keepUnread = (cid: string, error: unknown) => {
    if (!isKeeplightError(error) || ENDING.has(error.code)) throw error;
    unread.set(cid, error.code);
  };
  const repositories = await openRepositories(stored, account);
  for (const { cid } of listOrphans(stored, repositories)) unread.set(cid, toMissing(account));
  for (const repository of repositories) {
    for await (const read of readSnapshots(stored, repository, account)) {
      if ("content" in read) found.push(read);
      else keepUnread(read.file.cid, read.error);
    }
  }
  const files = new Map(stored.filter(({ kind }) => kind === "first snapshot").map((file) => [file.cid, file]));
  const work = async (file: StoredFile, signal: AbortSignal) => {
    try {
      const snapshot = await readFirstSnapshot(file, { ...account, signal });
      if (!snapshot) unread.set(file.cid, toMissing(account));
      return snapshot;
    } catch (error) {
      keepUnread(file.cid, error);
      return undefined;
    }
  };
  for await (const snapshot of mapInOrder(files.values(), { limit: OPENED_AT_ONCE, signal: account.signal }, work))
    if (snapshot) first.push(snapshot);
  const latest = findLatest(found).map(({ file, content }) => describeSnapshot(file.cid, content));
  const snapshots = [...latest, ...first].sort((a, b) => b.createdAt - a.createdAt);
  return { snapshots, unread: [...unread].map(([cid, code]) => ({ cid, code })) };
}

/** Code for a snapshot whose key is not there. */
const toMissing = ({ key }: ResolvedAccount) => (key === undefined ? "INVALID_SNAPSHOT" : "NOT_IN_KIT");

const OPENED_AT_ONCE = 4;

/** Errors that every snapshot would end in. */
const ENDING = new Set(["ABORTED", "MISSING_OWNER", "SIGNATURE_REJECTED", "INVALID_SIGNATURE", "INVALID_OPTION"]);
