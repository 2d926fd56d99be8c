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

/** Stored files by account. */
export interface Ledger {
  add(record: Pick<FileRecord, "publicKey" | "fileName" | "mimeType" | "cid" | "encryption"> & { size: number }): void;
  /** Lists the records of an account, newest first. */
  list(address: string): readonly FileRecord[];
  /** Sums up the bytes that an account has stored. */
  sumBytes(address: string): number;
  /** Returns the newest record of a content id, of any account and in any encoding of the id. */
  find(cid: string): FileRecord | undefined;
  /** Returns the oldest of those records. */
  findFirst(cid: string): FileRecord | undefined;
  /** Lists the content ids, as keys, of all records, and of those that were deleted: an id may be among both. */
  listRoots(): { stored: Iterable<string>; deleted: Iterable<string> };
  /** Deletes a record; returns whether the account had it. The bytes stay: other records may refer to them. */
  remove(address: string, id: string): boolean;
}

/** Creates an empty ledger. */
export function createLedger(): Ledger {
  let records: FileRecord[] = [];
  const deleted = new Set<string>();
  const hasCid = (cid: string) => {
    const key = toContentKey(cid);
    return (record: FileRecord) => toContentKey(record.cid) === key;
  };
  const listOf = (address: string) => records.filter(({ publicKey }) => publicKey === address);
  return {
    add({ size, ...fields }) {
      const now = Date.now();
      records.push({
        ...fields,
        txHash: "",
        status: "queued",
        createdAt: now,
        fileSizeInBytes: String(size),
        id: randomUUID(),
        lastUpdate: now,
      });
    },
    list: (address) => listOf(address).reverse(),
    sumBytes: (address) => listOf(address).reduce((sum, { fileSizeInBytes }) => sum + Number(fileSizeInBytes), 0),
    find: (cid) => records.findLast(hasCid(cid)),
    findFirst: (cid) => records.find(hasCid(cid)),
    listRoots: () => ({ stored: new Set(records.map(({ cid }) => toContentKey(cid) ?? cid)), deleted }),
    remove(address, id) {
      const found = records.find((record) => record.publicKey === address && record.id === id);
      if (!found) return false;
      records = records.filter((record) => record !== found);
      deleted.add(toContentKey(found.cid) ?? found.cid);
      return true;
    },
  };
}
