import { randomUUID } from "node:crypto";
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

/** Creates an empty list of stored files by account. */
export function createLedger() {
  let records: StoredFile[] = [];
  const deleted = new Set<string>();
  const hasCid = (cid: string) => {
    const key = toContentKey(cid);
    return (record: StoredFile) => toContentKey(record.cid) === key;
  };
  const listOf = (address: string) => records.filter(({ publicKey }) => publicKey === address);
  return {
    add({ size, ...fields }: NewRecord): void {
      const now = Date.now();
      const own = { txHash: "", status: "queued", createdAt: now, id: randomUUID(), lastUpdate: now };
      records.push({ ...fields, ...own, fileSizeInBytes: String(size) });
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
    isStoredAs: (storage: string, cid: string) => records.filter(hasCid(cid)).some((file) => file.storage === storage),
    /** Returns the newest record of a content id, of any account and in any encoding of the id. */
    find: (cid: string) => records.findLast(hasCid(cid)),
    /** Returns the oldest of those records. */
    findFirst: (cid: string) => records.find(hasCid(cid)),
    /** Lists the content ids, as keys, of all records, and of those that were deleted: an id may be among both. */
    listRoots: () => ({ stored: new Set(records.map(({ cid }) => toContentKey(cid) ?? cid)), deleted }),
    /**
     * Deletes a record; returns whether the account had it, in a storage class that `isMeant`. The bytes stay: other records
     * may refer to them.
     */
    remove(address: string, id: string, isMeant: (storage: string) => boolean): boolean {
      const found = listOf(address).find((record) => record.id === id && isMeant(record.storage));
      if (!found) return false;
      records = records.filter((record) => record !== found);
      deleted.add(toContentKey(found.cid) ?? found.cid);
      return true;
    },
  };
}
