import { randomUUID } from "node:crypto";
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

export type Ledger = ReturnType<typeof createLedger>;

/** What is given of a new record. */
type NewRecord = Pick<FileRecord, "publicKey" | "fileName" | "mimeType" | "cid" | "encryption"> & { size: number };

/** Creates an empty list of stored files by account. */
export function createLedger() {
  let records: FileRecord[] = [];
  const deleted = new Set<string>();
  const hasCid = (cid: string) => {
    const key = toContentKey(cid);
    return (record: FileRecord) => toContentKey(record.cid) === key;
  };
  const listOf = (address: string) => records.filter(({ publicKey }) => publicKey === address);
  return {
    add({ size, ...fields }: NewRecord): void {
      const now = Date.now();
      const own = { txHash: "", status: "queued", createdAt: now, id: randomUUID(), lastUpdate: now };
      records.push({ ...fields, ...own, fileSizeInBytes: String(size) });
    },
    /** Lists the records of an account, newest first. */
    list: (address: string): readonly FileRecord[] => listOf(address).reverse(),
    /** Sums up the bytes that an account has stored. */
    sumBytes: (address: string) => listOf(address).reduce((sum, file) => sum + Number(file.fileSizeInBytes), 0),
    /** Returns the newest record of a content id, of any account and in any encoding of the id. */
    find: (cid: string) => records.findLast(hasCid(cid)),
    /** Returns the oldest of those records. */
    findFirst: (cid: string) => records.find(hasCid(cid)),
    /** Lists the content ids, as keys, of all records, and of those that were deleted: an id may be among both. */
    listRoots: () => ({ stored: new Set(records.map(({ cid }) => toContentKey(cid) ?? cid)), deleted }),
    /** Deletes a record; returns whether the account had it. The bytes stay: other records may refer to them. */
    remove(address: string, id: string): boolean {
      const found = records.find((record) => record.publicKey === address && record.id === id);
      if (!found) return false;
      records = records.filter((record) => record !== found);
      deleted.add(toContentKey(found.cid) ?? found.cid);
      return true;
    },
  };
}
