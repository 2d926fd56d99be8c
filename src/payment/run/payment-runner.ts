import { getAddress } from "ethers/address";
import { queued } from "../../async/queue.ts";
import { MAX_TICKER_AGE_MS } from "../../config/limits.ts";
import { isKeeplightError } from "../../errors/base.ts";
import { invalidOption } from "../../errors/input.ts";
import { aborted } from "../../errors/transport.ts";
import { UnfinishedError } from "../../errors/unfinished.ts";
import { resolveCall } from "../../options.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { getReceipt } from "../chain/eth-rpc.ts";
import { defaultMaxFee } from "../chain/max-fee.ts";
import type { RpcLimits } from "../chain/rpc.ts";
import { checkMaxFee, checkRpc, checkSigner, resolveWait, resumePaymentNames } from "../pay-options.ts";
import type { Order, Payment, ResumePaymentOptions, WaitOptions } from "../types.ts";
import { createSender, type SenderOptions } from "../wallet/sender.ts";
import { checkBeforeSigning } from "./checks.ts";
import { type Context, createProgressReporter, type SentTransaction, toFacts, type Waiting } from "./context.ts";
import { nextStep } from "./next-step.ts";
import { decodeRevertReason, isMined, type MinedTransaction, readResult } from "./result.ts";
import { awaitWallet, broadcast, send } from "./send.ts";
import { waitForTransaction } from "./wait-for-transaction.ts";

/** Options of a run, with everything checked. */
interface RunOptions extends SenderOptions, RpcLimits, Waiting {
  onProgress: WaitOptions["onProgress"];
  maxFee: bigint | undefined;
}

/** A payment over all its runs. */
interface PaymentState {
  order: Order;
  /** The payer's address, once it is known. */
  from: string | undefined;
  /** Every transaction that might be in the chain, in order. */
  sent: SentTransaction[];
  running?: Promise<Payment> | undefined;
  /** How it ended for good: nothing that happens afterwards changes it. */
  end?: PaymentEnd | undefined;
}

type PaymentEnd = { payment: Payment } | { error: unknown };

/**
 * Makes a payment whose options have been checked.
 *
 * @throws as {@link payWithToken} says
 */
export async function startPayment(order: Order, options: RunOptions): Promise<Payment> {
  const { contract, tokens } = order.network;
  checkChecksum("network.contract", contract);
  for (const [name, token] of Object.entries(tokens)) checkChecksum(`network.tokens.${name}.address`, token.address);
  return proceed({ order, from: undefined, sent: [] }, options);
}

/** One run at a time: a call made meanwhile shares its result. */
function proceed(state: PaymentState, options: RunOptions, changed?: ResumePaymentOptions): Promise<Payment> {
  state.running ??= run(state, options, changed).finally(() => {
    state.running = undefined;
  });
  return state.running;
}

async function run(state: PaymentState, options: RunOptions, changed?: ResumePaymentOptions): Promise<Payment> {
  const end = state.end ?? (await runToEnd(state, options, changed));
  if ("error" in end) throw end.error;
  return end.payment;
}

async function runToEnd(
  state: PaymentState,
  before: RunOptions,
  changed: ResumePaymentOptions | undefined,
): Promise<PaymentEnd> {
  const { order } = state;
  let options = before;
  try {
    if (changed !== undefined) options = changedRun(before, changed);
    const sender = await createSender({ ...options, address: state.from }, order.network.rpc, options);
    if (state.from !== undefined && sender.address !== state.from) throw invalidOption("signer", "the payer's");
    state.from = sender.address;
    const tell = createProgressReporter(order, options.onProgress);
    const { chainId } = order.network;
    const { signal, maxFee = defaultMaxFee(chainId) } = options;
    const context: Context = { order, sender, rpc: sender.rpc, signal, waiting: options, maxFee, tell };
    const key = `${chainId} ${sender.address}`;
    return await queued(key, signal, () => advance(context, state, changed !== undefined));
  } catch (error) {
    if (state.end) return state.end;
    if (state.sent.length > 0) throw unfinished(state, options, error);
    // The caller learns that nothing was sent and may pay again: an older error of this payment must not continue then.
    state.end = { error };
    return state.end;
  }
}

async function advance(context: Context, state: PaymentState, resumed: boolean): Promise<PaymentEnd> {
  context.tell("checking");
  const { sent } = state;
  const doneBefore = sent.length;
  if (resumed) await checkApproval(context, sent.at(-1));
  else await refreshAmount(context.order);
  while (!state.end) {
    const last = sent.at(-1);
    // After a payment nothing is signed any more, whatever is known of it: it can only be settled.
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

/** A price in coins that waited in line behind other payments may be of another time. */
async function refreshAmount(order: Order): Promise<void> {
  if (!order.priced || order.tokenContract || performance.now() - order.quotedAt < MAX_TICKER_AGE_MS) return;
  order.quotedAt = performance.now();
  order.amount = await order.quoteAmount();
}

/** An approval counts with its first block, which a reorganised chain may not have any more: then it is waited for anew. */
async function checkApproval({ rpc }: Context, last: SentTransaction | undefined): Promise<void> {
  if (last?.receipt && !(await getReceipt(rpc, last.receipt.hash))) last.receipt = undefined;
}

/**
 * Sees the latest transaction through, and ends the payment if it was the one that pays or that fails. Its receipt is
 * kept only together with that end: if reading the result is cut off, a resumed payment reads receipt and result again.
 */
async function settle(context: Context, last: SentTransaction, state: PaymentState, resumed: boolean): Promise<void> {
  await awaitWallet(context, last, state.sent);
  if (resumed) await rebroadcast(context, state.sent);
  const receipt = await waitForTransaction(context, last);
  const mined = { ...last, hash: receipt.hash, receipt };
  if (!receipt.succeeded) {
    state.end = { error: await decodeRevertReason(context, mined) };
    return;
  }
  if (last.step === "pay") state.end = await toResult(context, [...state.sent.filter(isMined), mined], mined);
  last.receipt = receipt;
  context.tell(last.step, "confirmed", last.hash);
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

/** Has every signed transaction known again that the chain has not: an earlier one may be lost as well, and keep the last waiting. */
async function rebroadcast(context: Context, sent: readonly SentTransaction[]): Promise<void> {
  for (const { step, raw, hash } of sent) {
    if (raw === undefined || hash === undefined || (await getReceipt(context.rpc, hash))) continue;
    await broadcast(context, { step, raw, hash });
  }
}

function unfinished(state: PaymentState, options: RunOptions, failure: unknown): unknown {
  const error = isKeeplightError(failure) ? failure : aborted(failure);
  const { order, sent } = state;
  const transactions = sent.map((transaction) => toFacts({ order }, transaction));
  const last = sent.at(-1);
  const open = last && !last.receipt ? transactions.at(-1) : undefined;
  return new UnfinishedError<Payment, ResumePaymentOptions>(error.code, error.message, {
    details: { ...open, ...error.details, transactions },
    cause: error.cause,
    resume: async (changed) => proceed(state, options, changed),
  });
}

function changedRun(options: RunOptions, changed: ResumePaymentOptions): RunOptions {
  checkOptions(changed, resumePaymentNames);
  const { confirmations, waitMs, pollMs, onProgress } = options;
  const given = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined));
  const { signal, timeoutMs } = resolveCall({ timeoutMs: options.timeoutMs, ...given });
  const signer =
    changed.signer === undefined
      ? {}
      : { signer: checkSigner(changed.signer), isNewSigner: true, privateKey: undefined };
  const waiting = resolveWait({ confirmations, waitMs, pollMs, onProgress, ...given });
  const rpc = checkRpc(changed.rpc) ?? options.rpc;
  const maxFee = checkMaxFee(changed.maxFee) ?? options.maxFee;
  return { ...options, ...signer, ...waiting, rpc, maxFee, signal, timeoutMs };
}

function checkChecksum(option: string, address: string): void {
  try {
    getAddress(address);
  } catch {
    throw invalidOption(option, "an EVM address with a right checksum");
  }
}
