import { Transaction } from "ethers/transaction";
import { untilAborted } from "../../base/async/abort.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { type ProviderError, readProviderError } from "../../base/errors/nodes.ts";
import { paymentMissed, paymentUnknown } from "../../base/errors/payment.ts";
import { createBlockSearch } from "../../network/ethereum/block-search.ts";
import { getNonce, getReceipt, requestQuantity } from "../../network/ethereum/eth-rpc.ts";
import { estimateFees, type Fees } from "../../network/ethereum/fees.ts";
import { toSendingOnly, type WalletAnswer } from "../../network/ethereum/wallet/sender.ts";
import { type Attempt, type Failure, fold, type State } from "../machine.ts";
import type { PaymentAction } from "../types.ts";
import { type Context, type StepRequest, toFacts } from "./context.ts";
import { EXTRA_GAS } from "./gas.ts";
import type { Located, PayerAccount } from "./look-up-order.ts";
import { checkNodeChain } from "./next-step.ts";
import { type Observation, observe } from "./observe.ts";
import { listKnownAttempts } from "./ongoing-payment.ts";
import { broadcast, makeAttempt, readFailure, type SigningCost, sign, sumFees } from "./send.ts";

/** Makes an attempt, records it, and only then lets a wallet see it. */
export async function start(
  context: Context,
  request: StepRequest,
  account: PayerAccount,
  state: State,
): Promise<void> {
  const { sender } = context;
  const { entry, handOver } = await makeAttempt(context, request, account, state).catch((error: unknown) => {
    const sending = toSendingOnly(sender, error);
    if (!sending) throw error;
    return makeAttempt({ ...context, sender: sending }, request, account, state);
  });
  await context.payment.append(entry);
  if (!handOver) return;
  const response = handOver();
  // An aborted run does not wait for it.
  response.catch(() => undefined);
  context.payment.walletResponses.set(entry.attempt, response);
}

/** How a wallet failed, and the little of its error that may be kept. */
export interface WalletFailure {
  kind: Failure;
  error: ProviderError;
}

/**
 * Awaits the wallet, or broadcasts the signed transaction; in a later run also every earlier one that the chain no longer
 * knows: a dropped earlier nonce would block the last one.
 *
 * @returns how the wallet failed, which is recorded
 */
export async function deliver(context: Context, attempt: Attempt, isNew: boolean): Promise<WalletFailure | undefined> {
  const response = context.payment.walletResponses.get(attempt.attempt);
  if (response !== undefined) return awaitWallet(context, attempt, response);
  for (const each of isNew ? [attempt] : fold(context.payment.entries)) {
    if (each.end === undefined) await broadcastVariants(context, each, isNew);
  }
  return undefined;
}

/** Broadcasts what was signed for an attempt: the latest variant, or an earlier one if the node refuses it. */
async function broadcastVariants(context: Context, { step, signed }: Attempt, isNew: boolean): Promise<void> {
  let refusal: unknown;
  for (const variant of signed.toReversed()) {
    try {
      if (isNew || !(await getReceipt(context.rpc, variant.hash))) await broadcast(context, step, variant);
      return;
    } catch (error) {
      if (!isKeeplightError(error, "RPC_REFUSED")) throw error;
      refusal ??= error;
    }
  }
  if (refusal !== undefined) throw refusal;
}

async function awaitWallet(
  context: Context,
  attempt: Attempt,
  response: Promise<WalletAnswer>,
): Promise<WalletFailure | undefined> {
  const { rpc, signal, payment } = context;
  let answer: WalletAnswer;
  try {
    answer = await untilAborted(response, signal);
  } catch (error) {
    // A window that is still open is awaited by the next run.
    if (signal?.aborted && isKeeplightError(error, "ABORTED")) throw error;
    payment.walletResponses.delete(attempt.attempt);
    const providerError = readProviderError(error);
    const kind = readFailure(attempt, providerError);
    // A window may have been open for long: without a block, the next look counts from itself.
    const block = await requestQuantity(rpc, "eth_blockNumber")
      .then(Number)
      .catch(() => undefined);
    await payment.append({ type: "failed", attempt: attempt.attempt, failure: kind, block });
    return { kind, error: providerError };
  }
  payment.walletResponses.delete(attempt.attempt);
  if ("hash" in answer) await recordAnswer(context, attempt, answer);
  else await payment.append({ type: "answered", attempt: attempt.attempt, ...answer });
  context.report(attempt.step, "sent", "hash" in answer ? answer.hash : undefined);
  return undefined;
}

/** Continues with the transaction that the attempt is made by. */
export async function follow(context: Context, attempt: Attempt, { hash, nonce }: Located): Promise<void> {
  await checkNodeChain(context);
  await recordAnswer(context, attempt, { hash, nonce });
  if (hash !== attempt.hash) context.report(attempt.step, "sent", hash);
}

/** @throws `PAYMENT_UNKNOWN` for the transaction of another payment */
async function recordAnswer(context: Context, attempt: Attempt, answer: Located): Promise<void> {
  const isIdentified = context.order.mark !== undefined || attempt.signed.length > 0;
  const known = isIdentified ? [] : await listKnownAttempts(context, { withJournal: true });
  if (known.some(({ isOwn, hash }) => !isOwn && hash === answer.hash)) throw paymentUnknown(toFacts(context, attempt));
  await context.payment.append({ type: "answered", attempt: attempt.attempt, ...answer });
}

/** Records the order's payment, which the chain has and no attempt is known to have made. */
export async function adoptPayment(context: Context, found: Located, state: State): Promise<void> {
  await checkNodeChain(context);
  const givenUp = state.findLast(({ step, end }) => step === "pay" && end === "given-up");
  if (givenUp) return follow(context, givenUp, found);
  const { order, payment } = context;
  const request = { step: "pay", to: order.network.contract, data: "0x", value: "0", worstCaseFee: "0" } as const;
  const { hash, nonce, block = 0 } = found;
  const facts = { ...request, fromBlock: block, nextNonce: nonce ?? 0 };
  await payment.append({ type: "asked", attempt: state.length, hash, nonce, ...facts });
}

/** Gas of a transfer of coins to the payer itself, unless the node estimates more. */
const TRANSFER_GAS = 21_000n + BigInt(EXTRA_GAS);

/**
 * Does what the caller requested for an open attempt, unless the chain shows by now how it ends.
 *
 * @throws `INVALID_OPTION` if that cannot be done for this attempt; what signing throws
 */
export async function act(context: Context, action: PaymentAction, attempt: Attempt, state: State): Promise<void> {
  if (action === "give-up") return giveUp(context, attempt);
  const { rpc, sender } = context;
  const { nonce, signed } = attempt;
  const latest = signed.at(-1);
  if (!sender.sign || nonce === undefined || latest === undefined) {
    throw invalidOption("action", "one that the wallet offers itself: it has not signed here");
  }
  if ((await getNonce(rpc, sender.address, "latest")) > nonce) return;
  const old = Transaction.from(latest.raw);
  const isCancel = action === "cancel";
  const transfer = isCancel
    ? { to: sender.address, data: "0x", value: 0n }
    : { to: attempt.to, data: attempt.data, value: BigInt(attempt.value) };
  const gasLimit = isCancel && old.gasLimit < TRANSFER_GAS ? TRANSFER_GAS : old.gasLimit;
  const cost = { fees: raiseFees(old, await estimateFees(rpc)), gasLimit, l1Fee: 0n };
  const committed = sumFees(state.filter((other) => other.attempt !== attempt.attempt));
  const variant = await sign(context, sender.sign, { ...attempt, ...transfer, nonce }, { cost, committed });
  if (isCancel) return context.payment.append({ type: "cancelling", attempt: attempt.attempt, ...variant });
  const { signed: _, end: __, failure: ___, ...facts } = attempt;
  return context.payment.append({ type: "signed", ...facts, nonce, ...variant });
}

/** By an eighth at least: nodes refuse replacements that offer less than a tenth more. */
function raiseFees(old: Transaction, { perGas, fields }: Fees): SigningCost["fees"] {
  const raise = (before: bigint | null, now: bigint) => {
    const raised = ((before ?? 0n) * 9n) / 8n + 1n;
    return raised > now ? raised : now;
  };
  if (old.type !== 2) return { fields: { type: 0, gasPrice: raise(old.gasPrice, perGas) } };
  const maxPriorityFeePerGas = raise(old.maxPriorityFeePerGas, fields.maxPriorityFeePerGas ?? 0n);
  const maxFeePerGas = raise(old.maxFeePerGas, perGas > maxPriorityFeePerGas ? perGas : maxPriorityFeePerGas);
  return { fields: { type: 2, maxFeePerGas, maxPriorityFeePerGas } };
}

async function giveUp(context: Context, attempt: Attempt): Promise<void> {
  if (attempt.signed.length > 0) {
    throw invalidOption("action", "not give-up: a signed transaction can be cancelled");
  }
  const observed = await observeOnce(context, attempt);
  if (observed.kind === "located") return follow(context, attempt, observed.located);
  if (observed.kind !== "missing" && observed.kind !== "mismatch" && observed.kind !== "silent") return;
  context.payment.walletResponses.delete(attempt.attempt);
  await context.payment.append({ type: "given-up", attempt: attempt.attempt });
}

/** Continues with a payment that was given up, if the chain shows it by now. */
export async function findGivenUp(context: Context, state: State): Promise<boolean> {
  for (const attempt of state) {
    if (attempt.end !== "given-up" || attempt.step !== "pay") continue;
    const observed = await observeOnce(context, attempt);
    const { hash } = attempt;
    const isMade = observed.kind === "seen" && observed.seen.outcome === "succeeded" && hash !== undefined;
    const located = observed.kind === "located" ? observed.located : isMade && { hash };
    if (!located) continue;
    await follow(context, attempt, located);
    return true;
  }
  return false;
}

/** Searches all blocks that the attempt may be in; throws `PAYMENT_TIMEOUT` if there is not enough time for that. */
export async function observeOnce(context: Context, attempt: Attempt): Promise<Observation> {
  const { rpc, waiting } = context;
  const search = createBlockSearch(attempt.fromBlock, performance.now() + waiting.waitMs);
  const observed = await rpc.onOneNode((node) => observe({ ...context, rpc: node }, attempt, search, true));
  const isOver = performance.now() >= search.deadline;
  if (isOver && (observed.kind === "missing" || observed.kind === "mismatch"))
    throw paymentMissed("PAYMENT_TIMEOUT", { ...toFacts(context, attempt), waitMs: waiting.waitMs });
  return observed;
}
