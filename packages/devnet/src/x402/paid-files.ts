import { randomUUID } from "node:crypto";
import type { StoredMap } from "../state/stored-map.ts";

/** A file that was paid for, or is about to be. */
export interface PaidFile {
  id: string;
  /** The payer, in lower case. */
  publicKey: string;
  cid: string;
  size: number;
  name: string;
  /** Until when it is paid for, in milliseconds since 1970; 0 without a payment. */
  expiresAt: number;
  /** Of the latest payment. */
  txHash: string;
  fileState: "to-extend" | "renew";
}

export const STORAGE_DAYS = 365;
const STORAGE_MS = STORAGE_DAYS * 24 * 60 * 60 * 1_000;

/** Adds a year to a date that is yet to come, or to now. */
export function addYear(expiresAt: number): number {
  return Math.max(expiresAt, Date.now()) + STORAGE_MS;
}

/** What a payment changes once it is made. */
type OnPaid = (transaction: string) => void;

/** Creates the list of those files by their ids, with the payments that are yet to be made. */
export function createPaidFiles(files: StoredMap<PaidFile>) {
  /** By payment: a second request with the same payment replaces what the first has here. */
  const pending = new Map<string, OnPaid>();
  return {
    find: (id: string) => files.get(id),
    /** Adds a file that is not paid yet; its year begins now, when `key` has been paid. */
    add(key: string, { publicKey, ...rest }: Pick<PaidFile, "publicKey" | "cid" | "size" | "name">) {
      const state = { expiresAt: 0, txHash: "", fileState: "to-extend" as const };
      const file: PaidFile = { id: randomUUID(), publicKey: publicKey.toLowerCase(), ...rest, ...state };
      const expiresAt = addYear(0);
      files.set(file.id, file);
      pending.set(key, (txHash) => files.set(file.id, { ...file, txHash, expiresAt }));
      return { file, expiresAt };
    },
    /** Adds a year to a file, when `key` has been paid. */
    renew(key: string, { id }: PaidFile): void {
      pending.set(key, (txHash) => {
        const file = files.get(id);
        if (file) files.set(id, { ...file, txHash, expiresAt: addYear(file.expiresAt), fileState: "renew" });
      });
    },
    /** Applies what waits for a payment once its transaction is known. Without one, another request may still be making it. */
    settle(key: string, transaction: string | undefined): void {
      if (transaction === undefined) return;
      const onPaid = pending.get(key);
      pending.delete(key);
      onPaid?.(transaction);
    },
  };
}
