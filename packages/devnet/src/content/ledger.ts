import { randomUUID } from "node:crypto";
import type { State } from "../state/stored-map.ts";
import { getLimitedClass, type LimitedClass } from "./storage-class.ts";
import { toContentKey } from "./store.ts";

/** A stored file, as the listing returns it. */
export interface FileRecord {
  publicKey: string;
  fileName: string;
  mimeType: string | null;
  txHash: string;
  status: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** A decimal string. */
  fileSizeInBytes: string;
  cid: string;
  id: string;
  /** Milliseconds since 1970. */
  lastUpdate: number;
  encryption: boolean;
}

/** A stored file, with what no response shows. */
export interface StoredFile extends FileRecord {
  /** Its storage class. */
  storage: string;
}

export type Ledger = ReturnType<typeof createLedger>;

/** What is given of a new record. */
type NewRecord = Pick<StoredFile, "publicKey" | "fileName" | "mimeType" | "cid" | "encryption" | "storage"> & {
  size: number;
};

/** Creates the list of stored files by account. */
export function createLedger(state: State) {
  const records = state.map<StoredFile>("files");
  const deleted = state.map<true>("deleted-content");
  /** Keys by content ids: to parse those of all records takes long. */
  const keys = new Map<string, string | undefined>();
  const toKey = (cid: string) => {
    if (!keys.has(cid)) keys.set(cid, toContentKey(cid));
    return keys.get(cid);
  };
  const hasCid = (cid: string) => {
    const key = toContentKey(cid);
    return (record: StoredFile) => toKey(record.cid) === key;
  };
  const listAll = () => [...records.values()];
  const listOf = (address: string) => listAll().filter(({ publicKey }) => publicKey === address);
  return {
    add({ size, ...fields }: NewRecord): void {
      const now = Date.now();
      const id = randomUUID();
      const own = { txHash: "", status: "queued", createdAt: now, id, lastUpdate: now };
      records.set(id, { ...fields, ...own, fileSizeInBytes: String(size) });
    },
    /** Lists the records of an account, newest first. */
    list: (address: string): readonly StoredFile[] => listOf(address).reverse(),
    /** Sums up the bytes that an account has stored under the limit of a storage class. */
    sumBytes: (address: string, limited: LimitedClass) =>
      listOf(address)
        .filter(({ storage }) => getLimitedClass(storage) === limited)
        .reduce((sum, file) => sum + Number(file.fileSizeInBytes), 0),
    /** Whether an account has a record of a content id. */
    has: (address: string, cid: string) => listOf(address).some(hasCid(cid)),
    /** Whether any account has one in a storage class. */
    isStoredAs: (storage: string, cid: string) =>
      listAll()
        .filter(hasCid(cid))
        .some((file) => file.storage === storage),
    /** Returns the newest record of a content id, of any account and in any encoding of the id. */
    find: (cid: string) => listAll().findLast(hasCid(cid)),
    /** Returns the oldest of those records. */
    findFirst: (cid: string) => listAll().find(hasCid(cid)),
    /** Lists the content ids, as keys, of all records. */
    listRoots: () => new Set(listAll().map(({ cid }) => toKey(cid) ?? cid)),
    /** Lists those of records that were deleted: others may have the same. */
    listDeletedRoots: () => deleted.keys(),
    /**
     * Deletes a record; returns whether the account had it, in a storage class that `isMeant`. The bytes stay: other records
     * may refer to them.
     */
    remove(address: string, id: string, isMeant: (storage: string) => boolean): boolean {
      const found = records.get(id);
      if (found?.publicKey !== address || !isMeant(found.storage)) return false;
      deleted.set(toContentKey(found.cid) ?? found.cid, true);
      return records.delete(id);
    },
  };
}
