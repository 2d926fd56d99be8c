import { untilAborted, wait } from "../../base/async/abort.ts";
import { queued } from "../../base/async/queue.ts";
import { MAX_TICKER_AGE_MS } from "../../base/config/limits.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { entryBusy } from "../../base/errors/journal.ts";
import { otherOrder, paymentUnderpaid } from "../../base/errors/payment.ts";
import { aborted } from "../../base/errors/transport.ts";
import { UnfinishedError } from "../../base/errors/unfinished.ts";
import { type Resolved, resolveChanges } from "../../base/operation.ts";
import { getEntries, type JournalLike } from "../../journal/handle.ts";
import { ACCOUNT_KIND, PAYMENT_KIND } from "../../journal/operations.ts";
import type { RpcLimits } from "../../network/ethereum/json-rpc.ts";
import { createSender, type SenderOptions } from "../../network/ethereum/wallet/sender.ts";
import { checkSigner } from "../../network/ethereum/wallet/signer.ts";
import { fold, mayBeSent } from "../machine.ts";
import { type ResumePaymentOptions, resumePaymentSchema, type runningSchema } from "../options.ts";
import type { FailedPayment, Order, Payment, PaymentAction, ResumedPayment } from "../types.ts";
import { carryOut } from "./carry-out.ts";
import { createProgressReporter, toFacts } from "./context.ts";
import { defaultMaxFee } from "./gas.ts";
import {
  acceptOrder,
  adopt,
  findPayment,
  forgetPayment,
  type Identity,
  listOpenPayments,
  type OngoingPayment,
  type OwnedRecord,
  type PaymentEnd,
} from "./ongoing-payment.ts";

/** How many blocks back an order is searched for, unless the network's row says otherwise: what one request of a node may cover. */
const SEARCH_BLOCKS = 10_000;

/** How a payment is carried out, and by whom. */
interface RunOptions extends SenderOptions, RpcLimits, Resolved<typeof runningSchema> {
  searchBlocks?: number | undefined;
  maxAmount?: bigint | undefined;
}

/** What a run is to do besides what its payment says. */
interface RunRequest {
  options: RunOptions;
  /** What the caller requested for the open transaction of a resumed payment. */
  action?: PaymentAction | undefined;
  /**
   * What another call orders: an attempt that failed for good may be followed by another. Absent if the payment is only
   * continued.
   */
  order?: Order | undefined;
}

/**
 * Makes a payment whose options have been checked, or continues the one that the order id names.
 *
 * @throws what {@link payWithToken} throws
 */
export async function startPayment(order: Order, identity: Identity, options: RunOptions): Promise<Payment> {
  return runAlone(() => findPayment(order, identity), { options: { ...options, isNewSigner: true }, order });
}

/** Continues the open payments of a journal, one after another. What failed for good is not attempted again. */
export async function continuePayments(
  journal: JournalLike,
  ids: readonly string[] | undefined,
  options: RunOptions,
): Promise<(ResumedPayment | FailedPayment)[]> {
  const reports: (ResumedPayment | FailedPayment)[] = [];
  for (const record of await listOpenPayments(journal, ids)) {
    const { id, orderId } = record;
    const find = () => {
      const amount = BigInt(record.order.amount);
      const order: Order = { ...record.order, amount, quotedAt: 0, quoteAmount: async () => amount };
      return findPayment(order, { orderId, journal, id });
    };
    // Asked for its address, as it may be of another account than the payment's.
    const request = { options: { ...options, isNewSigner: true } };
    const named = orderId === undefined ? {} : { orderId };
    try {
      reports.push({ ...named, payment: await runAlone(find, request) });
    } catch (error) {
      // Another call or process has completed it meanwhile.
      if (!isKeeplightError(error, "JOURNAL_ENTRY_UNKNOWN")) reports.push({ ...named, error });
    }
  }
  return reports;
}

/**
 * Runs after all earlier calls for the payment, so that an abort of one of them does not end this one. Finds the payment
 * again after each of them, which may have forgotten it.
 */
async function runAlone(find: () => OngoingPayment, request: RunRequest): Promise<Payment> {
  for (;;) {
    const payment = find();
    const { running } = payment;
    if (running === undefined) return proceed(payment, request);
    const ended = running.catch(() => undefined);
    await untilAborted(ended, request.options.signal).catch((error: unknown) => {
      throw toUnfinishedError(payment, request, error);
    });
  }
}

/** One run at a time: resuming during a run shares its result. */
function proceed(payment: OngoingPayment, request: RunRequest): Promise<Payment> {
  payment.running ??= run(payment, request).finally(() => {
    payment.running = undefined;
    forgetPayment(payment);
  });
  return payment.running;
}

async function run(payment: OngoingPayment, request: RunRequest): Promise<Payment> {
  // Another call for a paid order looks whether the chain still has the payment; resuming its error returns what it was.
  const end = (request.order ? undefined : payment.end) ?? (await runToEnd(payment, request));
  if ("error" in end) throw end.error;
  if ("payment" in end) return end.payment;
  const { order } = payment;
  throw paymentUnderpaid(toFacts({ order }, { step: "pay", hash: end.hash }), order.amount, BigInt(end.received));
}

async function runToEnd(payment: OngoingPayment, request: RunRequest): Promise<PaymentEnd> {
  const { options, order } = request;
  const { journal, name } = payment;
  let isOpen = false;
  let isAccepted = false;
  let isOver = false;
  try {
    payment.record = journal && (await openWhenFree(journal, PAYMENT_KIND, name, options));
    isOpen = true;
    payment.operationId = payment.record?.id;
    if (payment.record) adopt(payment, payment.record, order !== undefined);
    if (order && !acceptOrder(payment, order)) return { error: otherOrder() };
    isAccepted = true;
    const end = await runAsPayer(payment, request);
    isOver = true;
    // The caller of a payment without an order id may pay again by then: an older error must not resume it.
    if (!("error" in end) || payment.orderId === undefined) payment.end = end;
    return end;
  } catch (error) {
    const isUnfinished = mayBeSent(fold(payment.entries)) || (!isOpen && payment.orderId !== undefined);
    if (isUnfinished) throw toUnfinishedError(payment, { options, order: isAccepted ? undefined : order }, error);
    isOver = true;
    if (payment.orderId === undefined) payment.end = { error };
    return { error };
  } finally {
    const isKept = !isOver || (payment.orderId !== undefined && payment.entries.length > 0);
    const { record } = payment;
    payment.record = undefined;
    await (isKept ? record?.release() : record?.complete());
  }
}

async function runAsPayer(
  payment: OngoingPayment,
  { options, order: requested, action }: RunRequest,
): Promise<PaymentEnd> {
  const { journal } = payment;
  const { network } = payment.order;
  const created = await createSender({ ...options, address: payment.from }, network, options);
  const { from = created.address, result } = payment;
  if (from !== created.address && !result) throw invalidOption("signer", "the payer's");
  const { payer = from } = payment.order;
  if (payer !== from) throw invalidOption("signer", `the account that has to pay the order, ${payer}`);
  // A payment that was made is only looked up, whichever account calls.
  const sender = { ...created, address: from };
  payment.from = from;
  const report = createProgressReporter(payment.order, options.onProgress);
  const { switchChain, maxFee = defaultMaxFee(network.chainId), signal } = options;
  const { searchBlocks = network.searchBlocks ?? SEARCH_BLOCKS, maxAmount } = options;
  // No other payment of the account runs meanwhile, in this process or in another one that uses the journal: concurrently
  // they would take each other's nonce and allowance.
  const account = `${network.chainId} ${from}`;
  return queued(account, signal, async () => {
    const lock = journal && (await openWhenFree(journal, ACCOUNT_KIND, account, options));
    try {
      report("checking");
      if (payment.entries.length === 0) await refreshAmount(payment.order);
      const { order } = payment;
      const waiting = { ...options, confirmations: options.confirmations ?? order.network.confirmations ?? 1 };
      const running = { signal, waiting, maxFee, maxAmount, switchChain, searchBlocks, report, events: {} };
      const isPayer = from === created.address;
      const context = { ...running, order, payment, isPayer, sender, rpc: sender.rpc };
      return await carryOut(context, requested !== undefined, action);
    } finally {
      await lock?.release();
    }
  });
}

/** How often to try to take an entry that another call or process owns. */
const BUSY_POLL_MS = 50;

/**
 * Takes ownership of an entry, after the runs that own it before.
 *
 * @throws `JOURNAL_ENTRY_BUSY` after `waitMs`: a process that hangs never releases it
 */
async function openWhenFree(
  journal: JournalLike,
  kind: string,
  name: string,
  { signal, waitMs }: Pick<RunOptions, "signal" | "waitMs">,
): Promise<OwnedRecord> {
  const deadline = performance.now() + waitMs;
  const entries = getEntries(journal);
  for (;;) {
    try {
      return await entries.open(kind, name, {});
    } catch (error) {
      if (!isKeeplightError(error, "JOURNAL_ENTRY_BUSY")) throw error;
      const { id } = error.details;
      if (performance.now() >= deadline) throw entryBusy(id, await entries.findOwner(id));
    }
    await wait(BUSY_POLL_MS, signal);
  }
}

/** A queued payment's native-coin quote may have gone stale. */
async function refreshAmount(order: Order): Promise<void> {
  if (order.size === undefined || order.tokenContract || performance.now() - order.quotedAt < MAX_TICKER_AGE_MS) return;
  order.quotedAt = performance.now();
  order.amount = await order.quoteAmount();
}

/** The error whose `resume()` makes this request again; `order` is what was not compared with the payment's so far. */
function toUnfinishedError(payment: OngoingPayment, { options, order: asked }: RunRequest, failure: unknown): Error {
  const error = isKeeplightError(failure) ? failure : aborted(failure);
  const { order, entries, confirmed } = payment;
  const sent = fold(entries).filter(({ end }) => end !== "refused");
  const transactions = sent.map((attempt) => toFacts({ order }, attempt));
  const pending = confirmed.has(sent.at(-1)?.attempt ?? -1) ? undefined : transactions.at(-1);

  return new UnfinishedError<Payment, ResumePaymentOptions>(error.code, error.message, {
    details: { ...pending, ...error.details, transactions },
    cause: error.cause,
    operationId: payment.operationId,
    resume: async (changed) => {
      const request: RunRequest = { options, order: asked };
      try {
        const { action, signal, signer, ...changes } = resolveChanges(resumePaymentSchema, changed);
        const payer = signer && { signer: checkSigner(signer), isNewSigner: true, privateKey: undefined };
        Object.assign(request, { action, options: { ...options, ...changes, ...payer, signal } });
      } catch (invalid) {
        throw toUnfinishedError(payment, request, invalid);
      }
      if (!asked) return proceed(payment, request);
      const { orderId, journal } = payment;
      return runAlone(() => findPayment(asked, { orderId, journal }), request);
    },
  });
}
