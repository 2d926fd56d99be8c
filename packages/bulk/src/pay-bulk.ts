import {
  type CallOptions,
  type JournalLike,
  type NetworkOptions,
  type PayerOptions,
  type Payment,
  type PaymentToken,
  type PayOptions,
  payWithToken,
  type RateOptions,
  type RunningOptions,
} from "keeplight";
import {
  copyInput,
  getPayments,
  invalidOption,
  type OptionSchema,
  payWithTokenOperation,
  reference,
  resolveOptions,
} from "keeplight/parts";
import { type BulkLedger, getLedger, refuseCancelled } from "./ledger/open-ledger.ts";
import { type BulkPlan, countBytesToSend } from "./plan/plan.ts";

/** Options of {@link payBulk}: those of `payWithToken`, but what is paid for. */
export type PayBulkOptions = CallOptions &
  NetworkOptions &
  RunningOptions &
  PayerOptions &
  RateOptions &
  Pick<PayOptions, "rpc" | "maxAmount" | "searchBlocks"> & {
    /** What to pay with. */
    token: PaymentToken;
    /** Where the plan is, or is going to be. */
    ledger: BulkLedger;
    /**
     * What `openJournal` returned: it keeps the payment until it is complete, and that it was made. Never another one for a
     * plan.
     */
    journal: JournalLike;
  };

const { amount: _, size: __, orderId: ___, mark: ____, order: _____, ...paySchema } = payWithTokenOperation.options;

const schema = { ...paySchema, ledger: reference<BulkLedger>() } satisfies OptionSchema<PayBulkOptions>;

/**
 * Pays for the storage of a plan, once: the same call continues a payment that was interrupted, even by the end of the process,
 * and returns one that was made. It is for `plan.bytesToSend`. The ledger has one row for the payment of a plan, which names the
 * journal that it is in: with another journal nothing is paid.
 *
 * @throws `INVALID_OPTION`, also for another journal than that of the plan's payment; what `payWithToken` throws; what the ledger
 * throws
 *
 * @example
 * const journal = await openJournal({ folder: "./payments" });
 * const { hash } = await payBulk(plan, { ledger, journal, token: "usdc", privateKey });
 */
export async function payBulk(plan: BulkPlan, options: PayBulkOptions): Promise<Payment> {
  plan = copyInput(plan, "plan");
  const { ledger, ...payment } = resolveOptions(schema, options);
  const rows = getLedger(ledger);
  const journal = payment.journal as JournalLike;
  const { journal: id, find } = getPayments(journal);
  refuseCancelled(await rows.addPlan(plan));
  // Journals of several machines may have the same path: only their ids differ.
  const started = await rows.startPayment(plan.id, { journal: `${id} ${journal.place}` });
  const [startedId, ...place] = started.journal.split(" ");
  const orderId = `bulk ${plan.id}`;
  // Without it, the payment would be made again.
  const record = await find(orderId);
  const isForgotten = started.hash !== undefined && !record;
  if (startedId !== id || isForgotten) {
    const outcome = started.hash === undefined ? "" : `, and made by transaction ${started.hash}`;
    throw invalidOption("journal", `the journal that the plan's payment is in (${place.join(" ")}${outcome})`);
  }
  // An earlier version left out what encryption adds: what it has started continues as it was signed.
  const isForPlainBytes = record?.size === String(plan.bytes) && record.hasAttempts;
  const size = isForPlainBytes ? plan.bytes : countBytesToSend(plan);
  const paid = await payWithToken({ ...payment, size, orderId } as PayOptions);
  await rows.finishPayment(plan.id, paid.hash);
  return paid;
}
