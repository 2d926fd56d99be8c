import { isKeeplightError } from "../../base/errors/base.ts";
import { paymentCancelled, paymentReplaced, paymentReverted } from "../../base/errors/payment.ts";
import { getReceipt, type Receipt } from "../chain/eth-rpc.ts";
import { type Attempt, fold, type State } from "../machine.ts";
import { type Context, toFacts } from "./context.ts";
import { findPaymentLog, ignoreRefusal } from "./find-payment-log.ts";
import { createSearch } from "./find-transaction.ts";
import type { Seen } from "./observe.ts";
import type { Journey, Result } from "./payment-record.ts";
import { decodeRevertReason, type MinedTransaction, readResult } from "./result.ts";

/** How a payment ended; an error may only be the end of this call. */
export type PaymentEnd = Result | { error: unknown };

/** Receipts of attempts that succeeded. */
export type Receipts = Map<number, Receipt>;

/** Reads what the contract received for a mined payment, and records it together with the end of the attempt. */
export async function settle(context: Context, journey: Journey, paid: Attempt, receipts: Receipts): Promise<void> {
  const mined: MinedTransaction[] = [];
  for (const attempt of fold(journey.entries)) {
    if (attempt.end !== undefined || attempt.hash === undefined) continue;
    const { hash } = attempt;
    const receipt = receipts.get(attempt.attempt) ?? (await getReceipt(context.rpc, hash));
    if (receipt?.succeeded) mined.push({ ...attempt, hash, receipt });
  }
  const last = mined.find(({ attempt }) => attempt === paid.attempt);
  if (!last) return;
  const result = await readOutcome(context, mined, last);
  if ("payment" in result) {
    const duplicates = await findDuplicates(context, fold(journey.entries), last.hash);
    if (duplicates.length > 0) result.payment.duplicates = duplicates;
  }
  const { attempt, hash } = last;
  await journey.append({ type: "final", attempt, outcome: "succeeded", hash }, result);
  context.report("pay", "confirmed", hash);
}

/** Finds what attempts paid that were given up, besides the payment itself. */
async function findDuplicates(context: Context, state: State, paidBy: string): Promise<string[]> {
  const hashes: string[] = [];
  for (const attempt of state) {
    if (attempt.end !== "given-up") continue;
    const search = createSearch(attempt, performance.now() + context.waiting.waitMs);
    const found = await findPaymentLog(context, attempt, search).catch(ignoreRefusal);
    if (found && found.hash !== paidBy) hashes.push(found.hash);
  }
  return hashes;
}

async function readOutcome(
  context: Context,
  mined: readonly MinedTransaction[],
  paid: MinedTransaction,
): Promise<Result> {
  try {
    return { payment: await readResult(context, mined, paid) };
  } catch (error) {
    if (isKeeplightError(error, "PAYMENT_UNDERPAID"))
      return { hash: paid.hash, received: String(error.details.received) };
    throw error;
  }
}

/**
 * Explains why an attempt failed.
 *
 * @throws `PAYMENT_CANCELLED`, `PAYMENT_REPLACED`, as a reorganisation may still restore the transaction
 */
export async function explainFailure(context: Context, attempt: Attempt, seen: Seen | undefined): Promise<PaymentEnd> {
  const { hash } = attempt;
  const receipt = seen?.receipt;
  if (!receipt && seen?.by !== undefined && seen.by === attempt.cancelHash) {
    throw paymentCancelled(toFacts(context, attempt), seen.by);
  }
  if (!receipt || hash === undefined) throw paymentReplaced(toFacts(context, attempt), seen?.by);
  if (attempt.callsId !== undefined)
    return { error: paymentReverted(toFacts(context, attempt), { reason: "reported by the wallet" }) };
  return { error: await decodeRevertReason(context, { ...attempt, hash, receipt }) };
}
