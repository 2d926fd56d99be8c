import { boolean, copyInput, invalidOption, type OptionSchema, resolveOptions } from "keeplight/parts";
import { FILE_LOST, type FileProblem, KEY_UNREADABLE, type RowChange } from "../ledger/ledger.ts";
import { type BulkLedger, findPlan, getLedger, refuseCancelled } from "../ledger/open-ledger.ts";
import type { BulkPlan } from "../plan/plan.ts";
import { type BulkStatus, toStatus } from "./status.ts";

/** A file that is set aside. */
export interface SetAsideFile extends FileProblem {
  /** Below the source. */
  path: string;
}

/**
 * Returns how far a plan is.
 *
 * @param plan - the plan, which may be one that was never run, or its id
 * @throws `INVALID_OPTION` for an id that the ledger does not have
 */
export async function getBulkStatus(plan: BulkPlan | string, ledger: BulkLedger): Promise<BulkStatus> {
  const rows = getLedger(ledger);
  plan = copyInput(plan, "plan");
  const planId = typeof plan === "string" ? plan : plan.id;
  if (typeof plan !== "string" && !(await rows.getPlan(planId))) {
    return toStatus({ ...plan, state: "running", loaded: 0 }, []);
  }
  return toStatus(await findPlan(rows, planId), await rows.count(planId));
}

/**
 * Lets no further batch of a plan start; those that are being sent are completed. `runBulk` or `enqueueBulk` continue it.
 *
 * @throws `INVALID_OPTION` for a plan that the ledger does not have, or that is cancelled
 */
export async function pauseBulk(planId: string, ledger: BulkLedger): Promise<void> {
  const rows = getLedger(ledger);
  refuseCancelled(await findPlan(rows, planId));
  await rows.setState(planId, "paused");
}

/**
 * Ends a plan for good; batches that are being sent are completed. What is stored stays stored.
 *
 * @throws `INVALID_OPTION` for a plan that the ledger does not have
 */
export async function cancelBulk(planId: string, ledger: BulkLedger): Promise<void> {
  const rows = getLedger(ledger);
  await findPlan(rows, planId);
  await rows.setState(planId, "cancelled");
}

/**
 * Lists the files that are set aside, with their errors.
 *
 * @throws `INVALID_OPTION` for a plan that the ledger does not have
 */
export async function* listSetAside(planId: string, ledger: BulkLedger): AsyncGenerator<SetAsideFile> {
  const rows = getLedger(ledger);
  const { loaded } = await findPlan(rows, planId);
  for (let batch = 0; batch < loaded; batch++) {
    for (const { path, problem } of await rows.read(planId, batch)) if (problem) yield { path, ...problem };
  }
}

/** Options of {@link retryBulk}. */
export interface RetryBulkOptions {
  /**
   * Encrypt files again, with new keys, whose keys are in a damaged entry of the journal (`JOURNAL_DAMAGED`). What may be stored
   * of them already stays stored, and cannot be opened without the lost keys. Without it, they are tried again with the keys that
   * they had: first put the journal's entry back from a copy.
   *
   * @default false
   */
  encryptAgain?: boolean | undefined;
}

const schema = { encryptAgain: boolean(false) } satisfies OptionSchema<RetryBulkOptions>;

/**
 * Makes files that are set aside ready to be sent again, by `runBulk` or `enqueueBulk`. A file that the network has lost
 * starts again; every other one continues where it was.
 *
 * @returns how many files that are
 * @throws `INVALID_OPTION`, also for a plan that the ledger does not have
 *
 * @example
 * await retryBulk(plan.id, ledger, { encryptAgain: true });
 */
export async function retryBulk(planId: string, ledger: BulkLedger, options: RetryBulkOptions = {}): Promise<number> {
  const { encryptAgain } = resolveOptions(schema, options);
  const rows = getLedger(ledger);
  const { loaded, encrypted } = await findPlan(rows, planId);
  if (encryptAgain && !encrypted) throw invalidOption("encryptAgain", "false for a plan whose files are not encrypted");
  const startsAgain = ({ code }: FileProblem) => code === FILE_LOST || (encryptAgain && code === KEY_UNREADABLE);
  let retried = 0;
  for (let batch = 0; batch < loaded; batch++) {
    const changes = (await rows.read(planId, batch)).flatMap(({ index, status, problem }): RowChange[] => {
      if (!problem) return [];
      return [{ index, from: status, to: startsAgain(problem) ? "found" : status, problem: null }];
    });
    if (changes.length > 0 && (await rows.change(planId, batch, changes))) retried += changes.length;
  }
  return retried;
}
