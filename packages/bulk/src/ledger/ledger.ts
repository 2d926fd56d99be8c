import type { JournalStore } from "keeplight/parts";
import type { BulkFile, BulkPlan } from "../plan/plan.ts";

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

export interface LedgerRow extends BulkFile {
  index: number;
  status: FileStatus;
  /** Content id, from `stored` on. */
  cid?: string;
  /**
   * Content id of the folder that it was stored in, which the network lists; absent if the file is encrypted, or it is not
   * known.
   */
  root?: string;
  /** Why it is set aside: nothing happens to it until it is retried. */
  problem?: FileProblem;
}

/** A change of one row, if it still has the status `from`. */
export interface RowChange {
  index: number;
  from: FileStatus;
  to: FileStatus;
  cid?: string | undefined;
  root?: string | undefined;
  /** Sets the file aside; `null` retries one that was. */
  problem?: FileProblem | null;
}

/** What files of a batch were last sent as: by it they are found on the network if the response was lost. */
export interface SentFolder {
  /** The content ids that their folder may have. */
  roots: string[];
  /** The content id of each file, by the index of its row. */
  cids: Record<number, string>;
}

/** Whether a plan is worked on. A plan that is cancelled stays so. */
export type PlanState = "running" | "paused" | "cancelled";

/** What a ledger knows of a plan. */
export interface LedgerPlan extends Omit<BulkPlan, "folder" | "bytesToSend"> {
  state: PlanState;
  /** How many of its batches are in the ledger. */
  loaded: number;
}

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
  setState(id: string, state: PlanState): Promise<void>;
  /** Adds the next batch of a plan, unless it is there. */
  addBatch(id: string, batch: number, files: readonly BulkFile[]): Promise<void>;
  /** Acquires exclusive ownership of a batch, until it is released or this process ends; `undefined` if another has it. */
  own(id: string, batch: number): Promise<Ownership | undefined>;
  read(id: string, batch: number): Promise<LedgerRow[]>;
  /** Changes rows by `applyChanges`; returns all rows of the batch, or `undefined` if nothing was changed. */
  change(id: string, batch: number, changes: readonly RowChange[]): Promise<LedgerRow[] | undefined>;
  /** Records, durably, what files of a batch are sent as, instead of those before. */
  setSent(id: string, batch: number, sent: SentFolder): Promise<void>;
  /** Returns what was recorded last; `undefined` if there is nothing, or no file of the batch is `sent` any more. */
  getSent(id: string, batch: number): Promise<SentFolder | undefined>;
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

// Decides every change of a ledger. Pure: a batch that runs twice, or in two places, changes nothing the second time.

/** The statuses that may follow each: always forward, so that nothing is done twice. */
const FOLLOWING: Readonly<Record<FileStatus, readonly FileStatus[]>> = {
  found: ["sent"],
  sent: ["stored"],
  stored: ["saved", "verified"],
  saved: ["verified"],
  verified: [],
};

/** Code of the problem of a file that was stored and that the network does not have any more. */
export const FILE_LOST = "FILE_LOST";

/** Code of the problem of a file that may be stored, and whose key is in a damaged entry of the journal. */
export const KEY_UNREADABLE = "JOURNAL_DAMAGED";

/**
 * Whether a file that is set aside may get another status than it had. It starts again if the network has lost it, or this
 * machine its key: nobody can read what is stored. One that was lost is `verified` once it is found again.
 */
function mayFollowProblem({ code }: FileProblem, to: FileStatus): boolean {
  if (code === FILE_LOST) return to === "found" || to === "verified";
  return code === KEY_UNREADABLE && to === "found";
}

/**
 * Returns the rows with all changes made, or `undefined` if any of them is not allowed: then none is made.
 *
 * @param rows - of a batch, in their order
 */
export function applyChanges(rows: readonly LedgerRow[], changes: readonly RowChange[]): LedgerRow[] | undefined {
  const changed = [...rows];
  const seen = new Set<number>();
  for (const change of changes) {
    const row = rows[change.index];
    if (!row || seen.has(change.index) || !isAllowed(row, change)) return undefined;
    seen.add(change.index);
    changed[change.index] = toChanged(row, change);
  }
  return changed;
}

function isAllowed(row: LedgerRow, { from, to, cid, problem }: RowChange): boolean {
  if (row.status !== from) return false;
  if (row.problem) return problem === null && (to === from || mayFollowProblem(row.problem, to));
  if (problem === null) return false;
  if (problem !== undefined) return to === from;
  return FOLLOWING[from].includes(to) && (to === "stored") === (cid !== undefined);
}

function toChanged(row: LedgerRow, { to, cid = row.cid, root = row.root, problem }: RowChange): LedgerRow {
  const { problem: _, cid: __, root: ___, ...rest } = row;
  const isStored = to !== "found";
  return {
    ...rest,
    status: to,
    ...(isStored && cid !== undefined ? { cid } : {}),
    ...(isStored && root !== undefined ? { root } : {}),
    ...(problem ? { problem } : {}),
  };
}

/**
 * Whether a file may be read back, and become `verified`: it is stored, and if it is encrypted, its key is on the key nodes. Until
 * then its row has to say that it is not.
 */
export function isToVerify({ status, problem }: Pick<LedgerRow, "status" | "problem">, encrypted: boolean): boolean {
  if (problem && problem.code !== FILE_LOST) return false;
  return status === "saved" || status === "verified" || (status === "stored" && !encrypted);
}

/** Whether nothing is left to do for a file, but to read it back. */
export function isDone({ status, problem }: Pick<LedgerRow, "status" | "problem">, encrypted: boolean): boolean {
  return problem !== undefined || status === "verified" || status === (encrypted ? "saved" : "stored");
}

export function toRow(file: BulkFile, index: number): LedgerRow {
  return { ...file, index, status: "found" };
}

/** Adds rows to the counts of their statuses, or removes them. */
export function countRows(counts: StatusCount[], rows: readonly LedgerRow[], sign: 1 | -1 = 1): void {
  for (const { status, problem, size } of rows) {
    const isSetAside = problem !== undefined;
    let count = counts.find((each) => each.status === status && each.isSetAside === isSetAside);
    if (!count) {
      count = { status, isSetAside, files: 0, bytes: 0 };
      counts.push(count);
    }
    count.files += sign;
    count.bytes += sign * size;
  }
}
