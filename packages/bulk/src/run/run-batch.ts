import { isKeeplightError } from "keeplight";
import { invalidOption } from "keeplight/parts";
import { cannotUseDatabase } from "../ledger/database.ts";
import { isDone, type Ledger, type LedgerPlan, type LedgerRow, type RowChange } from "../ledger/ledger.ts";
import { withBatch } from "../ledger/open-ledger.ts";
import type { BulkOrigin } from "../plan/plan.ts";
import { type BadFile, type BatchFile, findBatchFiles } from "./batch-files.ts";
import { getFileName, isRefusal, toProblem, toRunError } from "./classify-error.ts";

/** Sends the files of one batch, and finds out what the network has of those that were sent before. */
export interface BatchSender {
  /**
   * Finds files that an earlier attempt has sent. Returns the changes of those that the network has, or that must not be sent
   * again; the others are sent again.
   *
   * @param files - those of the rows that can be read
   */
  recover(rows: readonly LedgerRow[], files: readonly BatchFile[], signal: AbortSignal): Promise<RowChange[]>;
  /** Keeps what is needed to find and open files again, durably, before their rows are `sent`. */
  prepare?(files: readonly BatchFile[], signal: AbortSignal): Promise<void>;
  /** Sends files that are prepared and whose rows are `sent`; returns their changes, or throws. */
  send(files: readonly BatchFile[], signal: AbortSignal): Promise<RowChange[]>;
  /** Saves the keys of files whose rows are `stored`; returns the changes of at least one of them, or throws. */
  saveKeys(rows: readonly LedgerRow[], signal: AbortSignal): Promise<RowChange[]>;
  /** Receives the rows once changes are in the ledger: what was kept in case they are not may be removed. */
  settle(rows: readonly LedgerRow[]): Promise<void>;
  /** Ends the work of this process. Fails if the database could not erase what was kept: the next attempt of the batch does. */
  close?(): Promise<void>;
}

/** Sends batches whose files are encrypted, each by a sender of its own. */
export interface EncryptedSenders {
  /** Prepares for batches, and removes what processes that have ended kept for batches that are done. */
  open(): Promise<unknown>;
  /** Starts a batch with these rows, which this process owns until `close`. */
  startBatch(plan: LedgerPlan, batch: number, rows: readonly LedgerRow[]): Promise<BatchSender>;
}

/** What the batches of all plans of a run or a worker are sent with. */
export interface BatchContext {
  ledger: Ledger;
  /** Where files are instead of where their plan has found them. */
  source: BulkOrigin | undefined;
  /** Returns what sends a batch whose files are not encrypted. */
  startPlain(plan: LedgerPlan, batch: number): BatchSender;
  encrypted: EncryptedSenders;
  signal: AbortSignal;
}

/** Its rows; or `busy` if another worker has it, `stopped` if the plan is paused, cancelled or unknown. */
export type BatchOutcome = "busy" | "stopped" | LedgerRow[];

/** Whether files of a batch are stored, so that no service is down: one whose files are all set aside may not have used any. */
export function isStored(outcome: BatchOutcome): boolean {
  return typeof outcome !== "string" && outcome.some(({ problem }) => problem === undefined);
}

/**
 * Runs one batch, as far as it is not done. May be called any number of times, in any number of places: every change of the
 * ledger is a compare-and-set, and what was sent is looked for before it is sent again. Files that cannot be sent are set
 * aside with their errors.
 *
 * @throws the refusal, if all of many files are refused; what sending throws, for all other errors; the rows stay as they are
 */
export async function runBatch(id: string, batch: number, context: BatchContext): Promise<BatchOutcome> {
  const { ledger, startPlain, encrypted } = context;
  return withBatch(ledger, id, batch, async (lost): Promise<BatchOutcome> => {
    const signal = AbortSignal.any([context.signal, lost]);
    try {
      const plan = await ledger.getPlan(id);
      if (plan?.state !== "running") return "stopped";
      const source = getSource(plan, context.source);
      const rows = await ledger.read(id, batch);
      const sender = plan.encrypted ? await encrypted.startBatch(plan, batch, rows) : startPlain(plan, batch);
      return await completeRows(rows, { ledger, source, plan, batch, sender, signal }).finally(() => sender.close?.());
    } catch (error) {
      // Another process still writes to the journal of the batch, or has just ended.
      if (isKeeplightError(error, "JOURNAL_ENTRY_BUSY")) return "busy";
      if (lost.aborted && !context.signal.aborted) throw cannotUseDatabase(ledger.place, error);
      throw error;
    }
  });
}

/** Returns where the files of a plan are; throws `INVALID_OPTION` if only `source` can say that. */
export function getSource({ root }: LedgerPlan, source: BulkOrigin | undefined): BulkOrigin {
  if (source) return source;
  if (root !== undefined) return { root };
  throw invalidOption("source", "the source of the plan, which is not a folder of this machine");
}

interface OwnedContext {
  ledger: Ledger;
  source: BulkOrigin;
  plan: LedgerPlan;
  batch: number;
  sender: BatchSender;
  signal: AbortSignal;
}

async function completeRows(rows: LedgerRow[], context: OwnedContext): Promise<LedgerRow[]> {
  const { plan, batch, source, sender, signal } = context;
  let current = rows;
  // Every round completes a file, sets one aside, or is the one after them.
  for (let rounds = 0; rounds < 3 * rows.length + MORE_ROUNDS; rounds++) {
    const open = current.filter((row) => !isDone(row, plan.encrypted));
    if (open.length === 0) {
      // What an earlier attempt could not remove.
      await sender.settle(current);
      return current;
    }
    const stored = open.filter(({ status }) => status === "stored");
    if (stored.length > 0) {
      current = await change(await sender.saveKeys(stored, signal), context);
      await sender.settle(current);
      continue;
    }
    const folder = `${plan.name}-${String(batch).padStart(5, "0")}`;
    const { files, bad } = await findBatchFiles(open, source, folder, signal);
    const sent = open.filter(({ status }) => status !== "found");
    const readable = files.filter(({ row }) => row.status !== "found");
    const recovered = sent.length === 0 ? [] : await sender.recover(sent, readable, signal);
    if (recovered.length > 0) {
      current = await change(recovered, context);
      await sender.settle(current);
      continue;
    }
    if (bad.length > 0) {
      current = await change(bad.map(toSetAside), context);
      continue;
    }
    await sender.prepare?.(files, signal);
    const found = files.filter(({ row }) => row.status === "found");
    if (found.length > 0) {
      const changes = found.map(({ row }): RowChange => ({ index: row.index, from: "found", to: "sent" }));
      current = await change(changes, context);
    }
    const ready = files.map((file) => ({ ...file, row: { ...file.row, status: "sent" as const } }));
    const refused = await sendInParts(ready, context);
    const [first] = refused;
    if (first && refused.length === ready.length && ready.length >= MANY_FILES) throw toRunError(first.error);
    current = await change(refused.map(toSetAside), context);
  }
  throw new Error("The ledger does not record what is done");
}

const MORE_ROUNDS = 3;

/** A batch of so many files that are all refused says something about the service, not about them. */
const MANY_FILES = 16;

/**
 * Sends files, and records what is stored. A file that cannot be read is set aside. A refused request is halved until it is
 * known which files are refused: returns those.
 */
async function sendInParts(files: readonly BatchFile[], context: OwnedContext): Promise<BadFile[]> {
  let stored: RowChange[];
  try {
    stored = await context.sender.send(files, context.signal);
  } catch (error) {
    if (!isKeeplightError(error)) throw error;
    const name = getFileName(error);
    const culprit = name === undefined ? undefined : files.find((file) => isNamed(file, name));
    if (culprit) {
      await change([toSetAside({ row: culprit.row, error })], context);
      const others = files.filter((file) => file !== culprit);
      return others.length === 0 ? [] : sendInParts(others, context);
    }
    if (!isRefusal(error)) throw error;
    const [first] = files;
    if (files.length === 1 && first) return [{ row: first.row, error }];
    const half = Math.ceil(files.length / 2);
    const refused = await sendInParts(files.slice(0, half), context);
    return [...refused, ...(await sendInParts(files.slice(half), context))];
  }
  await context.sender.settle(await change(stored, context));
  return [];
}

function isNamed({ name, row }: BatchFile, reported: string): boolean {
  return name === reported || row.path === reported || row.path.replaceAll("/", "-") === reported;
}

function toSetAside({ row, error }: BadFile): RowChange {
  return { index: row.index, from: row.status, to: row.status, problem: toProblem(error) };
}

/** Changes rows; if another worker was faster, returns what it has left. */
async function change(changes: RowChange[], { ledger, plan, batch }: OwnedContext): Promise<LedgerRow[]> {
  return (await ledger.change(plan.id, batch, changes)) ?? (await ledger.read(plan.id, batch));
}

/** Sets all files of a batch aside that are not done, because of the error of its last attempt. */
export async function setOpenAside(ledger: Ledger, { id, encrypted }: LedgerPlan, batch: number, error: unknown) {
  return withBatch(ledger, id, batch, async () => {
    const before = await ledger.read(id, batch);
    const problem = toProblem(error);
    const open = before.filter((row) => !isDone(row, encrypted));
    const changes = open.map(({ index, status }) => ({ index, from: status, to: status, problem }));
    return (await ledger.change(id, batch, changes)) ?? before;
  });
}
