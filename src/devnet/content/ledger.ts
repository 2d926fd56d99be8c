import { randomUUID } from "node:crypto";
import { contentKey } from "./cids.ts";

/** What an account has stored, as the listing shows it. */
interface FileRecord {
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

/** Who stored what. Deleting a record leaves the bytes: other records may name them, and they are immutable. */
export interface Ledger {
  add(record: Pick<FileRecord, "publicKey" | "fileName" | "mimeType" | "cid" | "encryption"> & { size: number }): void;
  /** Records of an account, newest first. */
  list(address: string): readonly FileRecord[];
  /** Bytes an account has stored. */
  used(address: string): number;
  /** The newest record of a content id, whoever stored it and however the id is spelt. */
  find(cid: string): FileRecord | undefined;
  /** The oldest one of those. */
  first(cid: string): FileRecord | undefined;
  /** Whether there was such a record of this account. */
  remove(address: string, id: string): boolean;
}

/** Makes an empty ledger. */
export function createLedger(): Ledger {
  let records: FileRecord[] = [];
  const isAbout = (cid: string) => {
    const key = contentKey(cid);
    return (record: FileRecord) => contentKey(record.cid) === key;
  };
  const of = (address: string) => records.filter(({ publicKey }) => publicKey === address);
  return {
    add({ size, ...known }) {
      const now = Date.now();
      records.push({
        ...known,
        txHash: "",
        status: "queued",
        createdAt: now,
        fileSizeInBytes: String(size),
        id: randomUUID(),
        lastUpdate: now,
      });
    },
    list: (address) => of(address).reverse(),
    used: (address) => of(address).reduce((sum, { fileSizeInBytes }) => sum + Number(fileSizeInBytes), 0),
    find: (cid) => records.findLast(isAbout(cid)),
    first: (cid) => records.find(isAbout(cid)),
    remove(address, id) {
      const kept = records.filter((record) => record.publicKey !== address || record.id !== id);
      const found = kept.length < records.length;
      records = kept;
      return found;
    },
  };
}
