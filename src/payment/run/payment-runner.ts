import { getAddress } from "ethers/address";
import { untilAborted } from "../../async/abort.ts";
import { MAX_TICKER_AGE_MS } from "../../config/limits.ts";
import { isKeeplightError } from "../../errors/base.ts";
import { invalidOption } from "../../errors/input.ts";
import { paymentUnderpaid } from "../../errors/payment.ts";
import { aborted } from "../../errors/transport.ts";
import { UnfinishedError } from "../../errors/unfinished.ts";
import type { JournalLike } from "../../journal/handle.ts";
import { defaultMaxFee } from "../chain/max-fee.ts";
import { fold } from "../machine.ts";
import type { FailedPayment, Order, Payment, ResumedPayment, ResumePaymentOptions } from "../types.ts";
import { createSender } from "../wallet/sender.ts";
import { type Account, withAccount } from "./account.ts";
import { carryOut } from "./carry-out.ts";
import { createProgressReporter, toFacts } from "./context.ts";
import type { PaymentEnd } from "./ending.ts";
import {
  acceptOrder,
  adopt,
  findPayment,
  forgetPayment,
  hasAttempts,
  type Identity,
  type OngoingPayment,
  toJourney,
} from "./ongoing-payment.ts";
import { listOpenPayments, type OwnedRecord, type PaymentRecord } from "./payment-record.ts";
import { applyChanges, type RunOptions } from "./run-options.ts";

/** What a run is to do besides what its payment says. */
interface RunRequest {
  options: RunOptions;
  /** Of a resumed payment. */
  changes?: ResumePaymentOptions | undefined;
  /** What another call orders; absent if the payment is only continued. */
  order?: Order | undefined;
  /** Whether an attempt that failed for good is followed by another. */
  mayRetry: boolean;
}

/**
 * Makes a payment whose options have been checked, or continues the one that the order id names.
 *
 * @throws what {@link payWithToken} throws
 */
export async function startPayment(order: Order, identity: Identity, options: RunOptions): Promise<Payment> {
  const { contract, tokens } = order.network;
  checkChecksum("network.contract", contract);
  for (const [name, token] of Object.entries(tokens)) checkChecksum(`network.tokens.${name}.address`, token.address);
  return runAlone(findPayment(order, identity), { options: { ...options, isNewSigner: true }, order, mayRetry: true });
}

/** Continues the open payments of a journal, one after another. Those without an order id are not attempted again. */
export async function continuePayments(
  journal: JournalLike,
  options: RunOptions,
): Promise<(ResumedPayment | FailedPayment)[]> {
  const reports: (ResumedPayment | FailedPayment)[] = [];
  for (const record of await listOpenPayments(journal)) {
    const { id, orderId } = record;
    const payment = findPayment(toOrder(record), { orderId, journal, id });
    // Asked for its address, as it may be of another account than the payment's.
    const request = { options: { ...options, isNewSigner: true }, mayRetry: orderId !== undefined };
    const named = orderId === undefined ? {} : { orderId };
    try {
      reports.push({ ...named, payment: await runAlone(payment, request) });
    } catch (error) {
      // Another process has completed it meanwhile.
      if (!isKeeplightError(error, "JOURNAL_ENTRY_UNKNOWN")) reports.push({ ...named, error });
    }
  }
  return reports;
}

function toOrder({ order }: PaymentRecord): Order {
  const amount = BigInt(order.amount);
  return { ...order, amount, quotedAt: 0, quoteAmount: async () => amount };
}

/** Runs after all earlier calls for the payment, so that an abort of one of them does not end this one. */
async function runAlone(payment: OngoingPayment, request: RunRequest): Promise<Payment> {
  while (payment.running !== undefined) {
    const ended = payment.running.then(
      () => undefined,
      () => undefined,
    );
    await untilAborted(ended, request.options.signal).catch((error) => {
      throw toUnfinishedError(payment, request.options, error);
    });
  }
  return proceed(payment, request);
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
  const end = getKnownEnd(payment, request) ?? (await runToEnd(payment, request));
  if ("error" in end) throw end.error;
  if ("payment" in end) return end.payment;
  const { order } = payment;
  throw paymentUnderpaid(toFacts({ order }, { step: "pay", hash: end.hash }), order.amount, BigInt(end.received));
}

function getKnownEnd(payment: OngoingPayment, { order }: RunRequest): PaymentEnd | undefined {
  return payment.end && order && !acceptOrder(payment, order) ? { error: otherOrder() } : payment.end;
}

function otherOrder(): Error {
  return invalidOption("orderId", "an id that no payment on another network, in another token or amount has");
}

async function runToEnd(
  payment: OngoingPayment,
  { options: previous, changes, order, mayRetry }: RunRequest,
): Promise<PaymentEnd> {
  let options = previous;
  let owned: OwnedRecord | undefined;
  let isOver = false;
  try {
    if (changes !== undefined) options = applyChanges(previous, changes);
    owned = await payment.open(options.signal);
    adopt(payment, owned);
    if (order && !acceptOrder(payment, order)) return { error: otherOrder() };
    const end = payment.result ?? (await runAsPayer(payment, owned, options, mayRetry));
    isOver = true;
    return keepEnd(payment, end);
  } catch (error) {
    const isUnfinished = hasAttempts(payment.entries) || (!owned && payment.orderId !== undefined);
    if (isUnfinished) throw toUnfinishedError(payment, options, error);
    isOver = true;
    return keepEnd(payment, { error });
  } finally {
    const isKept = isOver ? payment.orderId !== undefined && hasAttempts(payment.entries) : true;
    await owned?.close(isKept);
  }
}

/**
 * Keeps an end that is final. An error is, if the payment has no order id: the caller now knows that nothing was paid and
 * may pay again, so an older error must not resume it.
 */
function keepEnd(payment: OngoingPayment, end: PaymentEnd): PaymentEnd {
  if (!("error" in end) || payment.orderId === undefined) payment.end = end;
  return end;
}

async function runAsPayer(payment: OngoingPayment, owned: OwnedRecord, options: RunOptions, mayRetry: boolean) {
  const { network } = payment.order;
  const sender = await createSender({ ...options, address: payment.from }, network.rpc, options);
  if (payment.from !== undefined && sender.address !== payment.from) throw invalidOption("signer", "the payer's");
  payment.from = sender.address;
  const report = createProgressReporter(payment.order, options.onProgress);
  const { signal, maxFee = defaultMaxFee(network.chainId) } = options;
  const work = async (account: Account): Promise<PaymentEnd> => {
    report("checking");
    if (payment.entries.length === 0) await refreshAmount(payment.order);
    const { order, id: paymentId } = payment;
    const { rpc } = sender;
    const context = { order, sender, rpc, signal, waiting: options, maxFee, report, paymentId, account };
    return carryOut(context, toJourney(payment, owned), mayRetry);
  };
  return withAccount(`${network.chainId} ${sender.address}`, payment.journal, signal, work);
}

/** A queued payment's native-coin quote may have gone stale. */
async function refreshAmount(order: Order): Promise<void> {
  if (order.size === undefined || order.tokenContract || performance.now() - order.quotedAt < MAX_TICKER_AGE_MS) return;
  order.quotedAt = performance.now();
  order.amount = await order.quoteAmount();
}

function toUnfinishedError(payment: OngoingPayment, options: RunOptions, failure: unknown): Error {
  const error = isKeeplightError(failure) ? failure : aborted(failure);
  const { order, entries, confirmed } = payment;
  const sent = fold(entries).filter(({ end }) => end !== "refused");
  const transactions = sent.map((attempt) => toFacts({ order }, attempt));
  const pending = confirmed.has(sent.at(-1)?.attempt ?? -1) ? undefined : transactions.at(-1);
  return new UnfinishedError<Payment, ResumePaymentOptions>(error.code, error.message, {
    details: { ...pending, ...error.details, transactions },
    cause: error.cause,
    resume: async (changes) => proceed(payment, { options, changes, mayRetry: false }),
  });
}

function checkChecksum(option: string, address: string): void {
  try {
    getAddress(address);
  } catch {
    throw invalidOption(option, "an EVM address with a valid checksum");
  }
}
