import { getAddress } from "ethers/address";
import { queued } from "../../async/queue.ts";
import { MAX_TICKER_AGE_MS } from "../../config/limits.ts";
import { isKeeplightError } from "../../errors/base.ts";
import { invalidOption } from "../../errors/input.ts";
import { aborted } from "../../errors/transport.ts";
import { UnfinishedError } from "../../errors/unfinished.ts";
import type { RpcLimits } from "../../ethereum/json-rpc.ts";
import { resolveCall } from "../../options.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { getReceipt } from "../chain/eth-rpc.ts";
import { defaultMaxFee } from "../chain/max-fee.ts";
import { checkMaxFee, checkRpc, checkSigner, resolveWait, resumePaymentNames } from "../pay-options.ts";
import type { Order, Payment, ResumePaymentOptions, WaitOptions } from "../types.ts";
import { createSender, type SenderOptions } from "../wallet/sender.ts";
import { checkBeforeSigning } from "./checks.ts";
import { type Context, createProgressReporter, type SentTransaction, toFacts, type Waiting } from "./context.ts";
import { nextStep } from "./next-step.ts";
import { decodeRevertReason, isMined, type MinedTransaction, readResult } from "./result.ts";
import { broadcast, send, waitForWallet } from "./send.ts";
import { waitForTransaction } from "./wait-for-transaction.ts";

/** Checked options of a run. */
interface RunOptions extends SenderOptions, RpcLimits, Waiting {
  onProgress: WaitOptions["onProgress"];
  maxFee: bigint | undefined;
}

/** State of a payment across its runs. */
interface PaymentState {
  order: Order;
  /** The payer's address, once known. */
  from: string | undefined;
  /** Every transaction that may have been sent, in order. */
  sent: SentTransaction[];
  running?: Promise<Payment> | undefined;
  /** The final outcome: never changes once set. */
  end?: PaymentEnd | undefined;
}

type PaymentEnd = { payment: Payment } | { error: unknown };

/**
 * Makes a payment whose options have been checked.
 *
 * @throws what {@link payWithToken} throws
 */
export async function startPayment(order: Order, options: RunOptions): Promise<Payment> {
  const { contract, tokens } = order.network;
  checkChecksum("network.contract", contract);
  for (const [name, token] of Object.entries(tokens)) checkChecksum(`network.tokens.${name}.address`, token.address);
  return proceed({ order, from: undefined, sent: [] }, options);
}

/** One run at a time: a call during a run shares its result. */
function proceed(state: PaymentState, options: RunOptions, changes?: ResumePaymentOptions): Promise<Payment> {
  state.running ??= run(state, options, changes).finally(() => {
    state.running = undefined;
  });
  return state.running;
}

async function run(state: PaymentState, options: RunOptions, changes?: ResumePaymentOptions): Promise<Payment> {
  const end = state.end ?? (await runToEnd(state, options, changes));
  if ("error" in end) throw end.error;
  return end.payment;
}

async function runToEnd(
  state: PaymentState,
  previous: RunOptions,
  changes: ResumePaymentOptions | undefined,
): Promise<PaymentEnd> {
  const { order } = state;
  let options = previous;
  try {
    if (changes !== undefined) options = applyChanges(previous, changes);
    const sender = await createSender({ ...options, address: state.from }, order.network.rpc, options);
    if (state.from !== undefined && sender.address !== state.from) throw invalidOption("signer", "the payer's");
    state.from = sender.address;
    const report = createProgressReporter(order, options.onProgress);
    const { chainId } = order.network;
    const { signal, maxFee = defaultMaxFee(chainId) } = options;
    const context: Context = { order, sender, rpc: sender.rpc, signal, waiting: options, maxFee, report };
    const key = `${chainId} ${sender.address}`;
    return await queued(key, signal, () => advance(context, state, changes !== undefined));
  } catch (error) {
    if (state.end) return state.end;
    if (state.sent.length > 0) throw toUnfinishedError(state, options, error);
    // Final: the caller now knows that nothing was sent and may pay again, so an older error must not resume this
    // payment.
    state.end = { error };
    return state.end;
  }
}

async function advance(context: Context, state: PaymentState, resumed: boolean): Promise<PaymentEnd> {
  context.report("checking");
  const { sent } = state;
  const doneBefore = sent.length;
  if (resumed) await checkApproval(context, sent.at(-1));
  else await refreshAmount(context.order);
  while (!state.end) {
    const last = sent.at(-1);
    // Once the paying step was sent, nothing more is signed: the payment can only be settled.
    if (last && (last.step === "pay" || !last.receipt)) {
      await settle(context, last, state, resumed);
    } else {
      await checkBeforeSigning(context);
      const done = sent.map(({ step }) => step);
      await send(context, await nextStep(context, done, done.slice(doneBefore)), sent);
    }
  }
  return state.end;
}

/** A queued payment's native-coin quote may have gone stale. */
async function refreshAmount(order: Order): Promise<void> {
  if (!order.priced || order.tokenContract || performance.now() - order.quotedAt < MAX_TICKER_AGE_MS) return;
  order.quotedAt = performance.now();
  order.amount = await order.quoteAmount();
}

/** An approval counts from its first block, which a reorganisation may have removed: then waits for it again. */
async function checkApproval({ rpc }: Context, last: SentTransaction | undefined): Promise<void> {
  if (last?.receipt && !(await getReceipt(rpc, last.receipt.hash))) last.receipt = undefined;
}

/**
 * Waits for the latest transaction, and ends the payment if it failed or was the paying step. Its receipt is stored
 * only together with that end: if reading the result is interrupted, a resumed payment reads both again.
 */
async function settle(context: Context, last: SentTransaction, state: PaymentState, resumed: boolean): Promise<void> {
  await waitForWallet(context, last, state.sent);
  if (resumed) await rebroadcast(context, state.sent);
  const receipt = await waitForTransaction(context, last);
  const mined = { ...last, hash: receipt.hash, receipt };
  if (!receipt.succeeded) {
    state.end = { error: await decodeRevertReason(context, mined) };
    return;
  }
  if (last.step === "pay") state.end = await toResult(context, [...state.sent.filter(isMined), mined], mined);
  last.receipt = receipt;
  context.report(last.step, "confirmed", last.hash);
}

async function toResult(
  context: Context,
  transactions: readonly MinedTransaction[],
  paid: MinedTransaction,
): Promise<PaymentEnd> {
  try {
    return { payment: await readResult(context, transactions, paid) };
  } catch (error) {
    if (isKeeplightError(error) && error.code === "PAYMENT_UNDERPAID") return { error };
    throw error;
  }
}

/**
 * Rebroadcasts every signed transaction the chain no longer knows; a dropped earlier nonce would block the last one.
 */
async function rebroadcast(context: Context, sent: readonly SentTransaction[]): Promise<void> {
  for (const { step, raw, hash } of sent) {
    if (raw === undefined || hash === undefined || (await getReceipt(context.rpc, hash))) continue;
    await broadcast(context, { step, raw, hash });
  }
}

function toUnfinishedError(state: PaymentState, options: RunOptions, failure: unknown): unknown {
  const error = isKeeplightError(failure) ? failure : aborted(failure);
  const { order, sent } = state;
  const transactions = sent.map((transaction) => toFacts({ order }, transaction));
  const last = sent.at(-1);
  const pending = last && !last.receipt ? transactions.at(-1) : undefined;
  return new UnfinishedError<Payment, ResumePaymentOptions>(error.code, error.message, {
    details: { ...pending, ...error.details, transactions },
    cause: error.cause,
    resume: async (changes) => proceed(state, options, changes),
  });
}

function applyChanges(options: RunOptions, changes: ResumePaymentOptions): RunOptions {
  checkOptions(changes, resumePaymentNames);
  const { confirmations, waitMs, pollMs, onProgress } = options;
  const defined = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const { signal, timeoutMs } = resolveCall({ timeoutMs: options.timeoutMs, ...defined });
  const signer =
    changes.signer === undefined
      ? {}
      : { signer: checkSigner(changes.signer), isNewSigner: true, privateKey: undefined };
  const waiting = resolveWait({ confirmations, waitMs, pollMs, onProgress, ...defined });
  const rpc = checkRpc(changes.rpc) ?? options.rpc;
  const maxFee = checkMaxFee(changes.maxFee) ?? options.maxFee;
  return { ...options, ...signer, ...waiting, rpc, maxFee, signal, timeoutMs };
}

function checkChecksum(option: string, address: string): void {
  try {
    getAddress(address);
  } catch {
    throw invalidOption(option, "an EVM address with a valid checksum");
  }
}
