import type { JournalStore } from "keeplight/parts";
import type { BulkFile, BulkPlan } from "../plan/types.ts";

/**
 * How far a file is: `found` by the plan, `sent` or about to be, `stored` under a content id that was verified, `saved`:
 * its key is on the key nodes, too, `verified`: it was read back.
 */
export type FileStatus = "found" | "sent" | "stored" | "saved" | "verified";

/** Why a file was set aside. */
export interface FileProblem {
  /** Code of the error. */
  code: string;
  /** Its message. */
  message: string;
}

/** The row of one file. */
export interface LedgerRow extends BulkFile {
  /** Its position in the batch. */
  index: number;
  status: FileStatus;
  /** Content id, from `stored` on. */
  cid?: string;
  /** Content id of the folder that it was stored in, which the network lists; absent if the file is encrypted, or it is not known. */
  root?: string;
  /** Why it is set aside: nothing happens to it until it is retried. */
  problem?: FileProblem;
}

/** A change of one row, if it still has the status `from`. */
export interface RowChange {
  index: number;
  from: FileStatus;
  to: FileStatus;
  cid?: string;
  root?: string;
  /** Sets the file aside; `null` retries one that was. */
  problem?: FileProblem | null;
}

/** Whether a plan is worked on. A plan that is cancelled stays so. */
export type PlanState = "running" | "paused" | "cancelled";

/** What a ledger knows of a plan. */
export interface LedgerPlan extends Omit<BulkPlan, "folder" | "bytesToSend"> {
  state: PlanState;
  /** How many of its batches are in the ledger. */
  loaded: number;
}

/** How many files have a status. */
export interface StatusCount {
  status: FileStatus;
  isSetAside: boolean;
  files: number;
  bytes: number;
}

/** A payment for a plan: at most one is ever started. */
export interface LedgerPayment {
  /** Id of the journal that records it, a space, and where that was. */
  journal: string;
  /** Hash of its transaction, once it is made. */
  hash?: string;
}

/** Exclusive ownership of a batch. */
export interface Ownership {
  /** Fires when it is lost, as its connection is: another process may own the batch now. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** Keeps the rows of plans. Every change of a batch is made as a whole, or not at all. */
export interface Ledger {
  /** For messages: a folder, or a database without credentials. */
  readonly place: string;
  /** Adds a plan unless it is there; returns what the ledger has. */
  addPlan(plan: BulkPlan): Promise<LedgerPlan>;
  getPlan(id: string): Promise<LedgerPlan | undefined>;
  listPlans(): Promise<LedgerPlan[]>;
  setState(id: string, state: PlanState): Promise<void>;
  /** Adds the next batch of a plan, unless it is there. */
  addBatch(id: string, batch: number, files: readonly BulkFile[]): Promise<void>;
  /** Acquires exclusive ownership of a batch, until it is released or this process ends; `undefined` if another has it. */
  own(id: string, batch: number): Promise<Ownership | undefined>;
  read(id: string, batch: number): Promise<LedgerRow[]>;
  /** Changes rows by `applyChanges`; returns all rows of the batch, or `undefined` if nothing was changed. */
  change(id: string, batch: number, changes: readonly RowChange[]): Promise<LedgerRow[] | undefined>;
  /** Lists batches behind `after` with files that are not done, in their order. */
  listOpen(id: string, after: number, limit: number): Promise<number[]>;
  count(id: string): Promise<StatusCount[]>;
  /** Opens the store of the journal that keeps the keys of encrypted files until they are on the key nodes. */
  openJournalStore(): Promise<JournalStore>;
  /** Records that a payment is started, unless one was; returns the one that counts. */
  startPayment(id: string, payment: LedgerPayment): Promise<LedgerPayment>;
  finishPayment(id: string, hash: string): Promise<void>;
  close(): Promise<void>;
}
