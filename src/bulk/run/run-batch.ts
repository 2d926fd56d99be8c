import { isKeeplightError } from "../../errors/base.ts";
import { cannotUseDatabase } from "../ledger/database-error.ts";
import { isDone } from "../ledger/transition.ts";
import type { Ledger, LedgerPlan, LedgerRow, RowChange } from "../ledger/types.ts";
import type { BulkOrigin } from "../plan/types.ts";
import { type BadFile, type BatchFile, findBatchFiles } from "./batch-files.ts";
import { getFileName, isRefusal, toProblem, toWholeRefusal } from "./classify-error.ts";

/** Sends the files of one batch, and finds out what the network has of those that were sent before. */
export interface Sender {
  /**
   * Completes files that an earlier attempt has sent, as far as it got. Returns the changes of those that the network has;
   * the others are sent again.
   */
  recover(files: readonly BatchFile[], batch: BatchPlace, signal: AbortSignal): Promise<RowChange[]>;
  /** Sends files whose rows are `sent`; returns their changes, or throws. */
  send(files: readonly BatchFile[], batch: BatchPlace, signal: AbortSignal): Promise<RowChange[]>;
  /** What `recover` or `send` returned is in the ledger: what was kept in case it is not may be removed. */
  settle(batch: BatchPlace): Promise<void>;
}

/** Which batch of which plan. */
interface BatchPlace {
  plan: LedgerPlan;
  batch: number;
}

/** What running a batch requires. */
export interface BatchContext {
  ledger: Ledger;
  source: BulkOrigin;
  sender: Sender;
  signal: AbortSignal;
}

/** Its rows; or `busy` if another worker has it, `stopped` if the plan is paused, cancelled or unknown. */
export type BatchOutcome = "busy" | "stopped" | readonly LedgerRow[];

/**
 * Runs one batch, as far as it is not done. May be called any number of times, in any number of places: every change of the
 * ledger is a compare-and-set, and what was sent is looked for before it is sent again. Files that cannot be sent are set
 * aside with their errors.
 *
 * @throws the refusal, if all of many files are refused; what sending throws, for all other errors; the rows stay as they are
 */
export async function runBatch(id: string, batch: number, context: BatchContext): Promise<BatchOutcome> {
  const { ledger } = context;
  const ownership = await ledger.own(id, batch);
  if (!ownership) return "busy";
  const signal = AbortSignal.any([context.signal, ownership.lost]);
  try {
    const plan = await ledger.getPlan(id);
    if (plan?.state !== "running") return "stopped";
    return await completeRows(await ledger.read(id, batch), { plan, batch }, { ...context, signal });
  } catch (error) {
    if (ownership.lost.aborted && !context.signal.aborted) throw cannotUseDatabase(ledger.place, error);
    throw error;
  } finally {
    await ownership.release();
  }
}

async function completeRows(rows: LedgerRow[], place: BatchPlace, context: BatchContext): Promise<LedgerRow[]> {
  const { source, sender, signal } = context;
  const { plan, batch } = place;
  let current = rows;
  // Every round completes a file, sets one aside, or is the one after them.
  for (let rounds = 0; rounds < 2 * rows.length + MORE_ROUNDS; rounds++) {
    const open = current.filter((row) => !isDone(row, plan.encrypted));
    if (open.length === 0) return current;
    const folder = `${plan.name}-${String(batch).padStart(5, "0")}`;
    const { files, bad } = await findBatchFiles(open, source, folder, signal);
    const sent = files.filter(({ row }) => row.status !== "found");
    const recovered = sent.length === 0 ? [] : await sender.recover(sent, place, signal);
    if (recovered.length > 0) {
      current = await change(recovered, place, context);
      await sender.settle(place);
      continue;
    }
    if (bad.length > 0) {
      current = await change(bad.map(toSetAside), place, context);
      continue;
    }
    const found = files.filter(({ row }) => row.status === "found");
    if (found.length > 0) {
      current = await change(
        found.map(({ row }) => ({ index: row.index, from: "found", to: "sent" })),
        place,
        context,
      );
    }
    const ready = files.map((file) => ({ ...file, row: { ...file.row, status: "sent" as const } }));
    const refused = await sendInParts(ready, place, context);
    const [first] = refused;
    if (first && refused.length === ready.length && ready.length >= MANY_FILES) throw toWholeRefusal(first.error);
    current = await change(refused.map(toSetAside), place, context);
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
async function sendInParts(files: readonly BatchFile[], place: BatchPlace, context: BatchContext): Promise<BadFile[]> {
  let stored: RowChange[];
  try {
    stored = await context.sender.send(files, place, context.signal);
  } catch (error) {
    if (!isKeeplightError(error)) throw error;
    const name = getFileName(error);
    const culprit = name === undefined ? undefined : files.find((file) => isNamed(file, name));
    if (culprit) {
      await change([toSetAside({ row: culprit.row, error })], place, context);
      const others = files.filter((file) => file !== culprit);
      return others.length === 0 ? [] : sendInParts(others, place, context);
    }
    if (!isRefusal(error)) throw error;
    const [first] = files;
    if (files.length === 1 && first) return [{ row: first.row, error }];
    const half = Math.ceil(files.length / 2);
    const refused = await sendInParts(files.slice(0, half), place, context);
    return [...refused, ...(await sendInParts(files.slice(half), place, context))];
  }
  await change(stored, place, context);
  await context.sender.settle(place);
  return [];
}

function isNamed({ name, row }: BatchFile, reported: string): boolean {
  return name === reported || row.path === reported || row.path.replaceAll("/", "-") === reported;
}

function toSetAside({ row, error }: BadFile): RowChange {
  return { index: row.index, from: row.status, to: row.status, problem: toProblem(error) };
}

/** Changes rows; if another worker was faster, returns what it has left. */
async function change(
  changes: RowChange[],
  { plan, batch }: BatchPlace,
  { ledger }: BatchContext,
): Promise<LedgerRow[]> {
  return (await ledger.change(plan.id, batch, changes)) ?? (await ledger.read(plan.id, batch));
}
