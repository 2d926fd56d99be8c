import { Transaction } from "ethers/transaction";
import { isKeeplightError } from "../../base/errors/base.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { paymentTimeout, paymentUnknown } from "../../base/errors/payment.ts";
import { getNonce, getReceipt } from "../chain/eth-rpc.ts";
import { estimateFees, type Fees } from "../chain/fees.ts";
import { type Attempt, fold, type State } from "../machine.ts";
import type { PaymentAction } from "../types.ts";
import type { WalletAnswer } from "../wallet/sender.ts";
import { claimHash } from "./account.ts";
import { type Context, isOthers, type StepRequest, toFacts, toOwner } from "./context.ts";
import { createSearch, type Located } from "./find-transaction.ts";
import { checkNodeChain } from "./next-step.ts";
import { type Observation, observe } from "./observe.ts";
import { broadcast, makeAttempt, type SigningCost, sign, sumFees, waitForWallet } from "./send.ts";

/** Makes an attempt, records it, and only then lets a wallet see it. */
export async function start(context: Context, request: StepRequest, attempt: number, state: State): Promise<void> {
  const { entry, handOver } = await makeAttempt(context, request, attempt, state);
  await context.journey.append(entry);
  if (!handOver) return;
  const response = handOver().then((answer) => {
    // As soon as the wallet responds, even if the caller has stopped waiting by then.
    if ("hash" in answer) claimHash(answer.hash, toOwner(context, entry));
    return answer;
  });
  // An aborted run does not wait for it.
  response.catch(() => undefined);
  context.journey.walletResponses.set(attempt, response);
}

/**
 * Awaits the wallet, or broadcasts the signed transaction; in a later run also every earlier one that the chain no longer
 * knows: a dropped earlier nonce would block the last one.
 */
export async function deliver(context: Context, attempt: Attempt, isNew: boolean): Promise<void> {
  const response = context.journey.walletResponses.get(attempt.attempt);
  if (response !== undefined) await awaitWallet(context, attempt, response);
  if (isNew) {
    if (attempt.raw !== undefined) await broadcast(context, attempt);
    return;
  }
  for (const earlier of fold(context.journey.entries)) {
    const { raw, hash, end } = earlier;
    if (end !== undefined || raw === undefined || hash === undefined || (await getReceipt(context.rpc, hash))) continue;
    await broadcast(context, earlier);
  }
}

async function awaitWallet(context: Context, attempt: Attempt, response: Promise<WalletAnswer>): Promise<void> {
  const { walletResponses } = context.journey;
  const answer = await waitForWallet(context, attempt, response).catch((error: unknown) => {
    // A window that is still open is awaited by the next run.
    if (!isKeeplightError(error, "ABORTED")) walletResponses.delete(attempt.attempt);
    throw error;
  });
  walletResponses.delete(attempt.attempt);
  if ("refusal" in answer) {
    await context.journey.append({ type: "refused", attempt: attempt.attempt });
    if (answer.isForCalls) return;
    throw answer.refusal;
  }
  if ("hash" in answer) await recordAnswer(context, attempt, answer);
  else await context.journey.append({ type: "answered", attempt: attempt.attempt, ...answer });
  context.report(attempt.step, "sent", "hash" in answer ? answer.hash : undefined);
}

/** Continues with the transaction that the attempt is made by. */
export async function follow(context: Context, attempt: Attempt, { hash, nonce }: Located): Promise<void> {
  await checkNodeChain(context);
  await recordAnswer(context, attempt, { hash, nonce });
  if (hash !== attempt.hash) context.report(attempt.step, "sent", hash);
}

async function recordAnswer(context: Context, attempt: Attempt, answer: Located): Promise<void> {
  // What was given up may be sent again unchanged: it is the same transaction.
  const isOwn = fold(context.journey.entries).some(({ end, hash }) => end === "given-up" && hash === answer.hash);
  // Another payment found it before the wallet reported it.
  if (!isOwn && isOthers(context, attempt, answer.hash)) throw paymentUnknown(toFacts(context, attempt));
  await context.account.claim(answer.hash, toOwner(context, attempt));
  await context.journey.append({ type: "answered", attempt: attempt.attempt, ...answer });
}

/** Gas of a transfer of coins to the payer itself, unless the node estimates more. */
const TRANSFER_GAS = 21_000n;

/**
 * Does what the caller requested for an open attempt, unless the chain shows by now how it ends.
 *
 * @throws `INVALID_OPTION` if that cannot be done for this attempt; what signing throws
 */
export async function act(context: Context, action: PaymentAction, attempt: Attempt, state: State): Promise<void> {
  if (action === "give-up") return giveUp(context, attempt);
  const { rpc, sender } = context;
  const { nonce, raw } = attempt;
  if (sender.kind !== "signing" || nonce === undefined || raw === undefined) {
    throw invalidOption("action", "one that the wallet offers itself: it has not signed here");
  }
  if ((await getNonce(rpc, sender.address, "latest")) > nonce) return;
  const old = Transaction.from(raw);
  const isCancel = action === "cancel";
  const transfer = isCancel
    ? { to: sender.address, data: "0x", value: 0n }
    : { to: attempt.to, data: attempt.data, value: BigInt(attempt.value) };
  const gasLimit = isCancel && old.gasLimit < TRANSFER_GAS ? TRANSFER_GAS : old.gasLimit;
  const cost = { fees: raiseFees(old, await estimateFees(rpc)), gasLimit, l1Fee: 0n };
  const committed = sumFees(state.filter((other) => other.attempt !== attempt.attempt));
  const signed = await sign(context, sender, { ...attempt, ...transfer, nonce }, { cost, committed });
  if (isCancel) return context.journey.append({ type: "cancelling", attempt: attempt.attempt, ...signed });
  return context.journey.append({ type: "signed", ...attempt, nonce, ...signed });
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
  if (attempt.raw !== undefined) throw invalidOption("action", "not give-up: a signed transaction can be cancelled");
  const observed = await observeOnce(context, attempt);
  if (observed.kind === "located") return follow(context, attempt, observed.located);
  if (observed.kind !== "missing" && observed.kind !== "mismatch") return;
  context.journey.walletResponses.delete(attempt.attempt);
  await context.journey.append({ type: "given-up", attempt: attempt.attempt });
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
async function observeOnce(context: Context, attempt: Attempt): Promise<Observation> {
  const { rpc, waiting } = context;
  const search = createSearch(attempt, performance.now() + waiting.waitMs);
  const observed = await rpc.onOneNode((node) => observe({ ...context, rpc: node }, attempt, search, true));
  const isOver = performance.now() >= search.deadline;
  if (isOver && (observed.kind === "missing" || observed.kind === "mismatch"))
    throw paymentTimeout(toFacts(context, attempt), waiting.waitMs);
  return observed;
}
