import { throwIfAborted } from "../../base/async/abort.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { getReceipt } from "../../network/ethereum/eth-rpc.ts";
import { switchChain } from "../../network/ethereum/wallet/wallet-requests.ts";
import { type Attempt, type Command, fold, next, type Sight, type State } from "../machine.ts";
import type { PaymentAction } from "../types.ts";
import type { Context, StepRequest } from "./context.ts";
import { act, adoptPayment, deliver, findGivenUp, follow, start, type WalletFailure } from "./effects.ts";
import { explainStop, type Receipts, settle } from "./ending.ts";
import { type Located, lookUpOrder, type PayerAccount } from "./look-up-order.ts";
import type { Seen } from "./match.ts";
import { checkNodeChain, nextStep, type Progress } from "./next-step.ts";
import type { PaymentEnd } from "./ongoing-payment.ts";
import { createWatch, type Watch } from "./wait-for-transaction.ts";

/** How many blocks must confirm that a payment failed before it is made again. */
const FINALITY_BLOCKS = 64;

/**
 * Carries out what {@link next} commands until the payment ends. Decides nothing itself: wherever it is interrupted,
 * another run continues from the entries.
 *
 * @param mayRetry - whether another attempt follows one of an earlier call that failed for good
 * @param action - what the caller requested for the open attempt
 */
export async function carryOut(
  context: Context,
  mayRetry: boolean,
  action: PaymentAction | undefined,
): Promise<PaymentEnd> {
  const { payment } = context;
  const first = fold(payment.entries).length;
  const { confirmations } = context.waiting;
  const finality = Math.max(confirmations, FINALITY_BLOCKS);
  const initial: Sight = { isDelivered: false, confirmations, finality, retryBelow: mayRetry ? first : 0 };
  const receipts: Receipts = new Map();
  let sight: Sight = { ...initial, action };
  let seen: Seen | undefined;
  let failure: WalletFailure | undefined;
  let plan: { request: StepRequest; account: PayerAccount } | undefined;
  let isChecked = false;
  let watch: Watch | undefined;

  /** The next attempt is looked at afresh. */
  function reset(): void {
    sight = initial;
    watch = undefined;
  }

  async function hand(attempt: Attempt): Promise<void> {
    failure = await deliver(context, attempt, attempt.attempt >= first);
    sight = { ...sight, isDelivered: true, failed: failure && attempt.attempt };
  }

  async function look(attempt: Attempt): Promise<void> {
    watch ??= createWatch(context, attempt);
    const found = await watch(attempt);
    if (found.kind === "located") return follow(context, attempt, found.located);
    if (found.kind === "silent") {
      sight = { ...sight, silence: found.silence };
      return;
    }
    if (found.kind === "dropped") {
      failure = { kind: "rejected", error: { code: undefined, message: "the wallet made no calls", data: undefined } };
      sight = { ...sight, failed: attempt.attempt };
      return payment.append({ type: "failed", attempt: attempt.attempt, failure: "rejected", block: found.block });
    }
    seen = found.seen;
    sight = { ...sight, seen };
    const { outcome, receipt } = seen;
    if (receipt?.succeeded) receipts.set(attempt.attempt, receipt);
    if (outcome !== "succeeded" || attempt.step === "pay") return;
    payment.confirmed.add(attempt.attempt);
    context.report(attempt.step, "confirmed", attempt.hash);
  }

  async function check(state: State): Promise<void> {
    if (await onPaymentChain(context, () => findGivenUp(context, state))) return;
    const made = state.filter(({ end }) => end !== "refused" && end !== "given-up");
    const madeNow = made.filter(({ attempt }) => attempt >= first);
    const mayBatch = !state.some(({ attempt, callsId }) => attempt >= first && callsId !== undefined);
    const progress = { isChecked, mayBatch, done: made.map(toStep), doneNow: madeNow.map(toStep) };
    const planned = await onPaymentChain(context, () => planAttempt(context, progress));
    if ("hash" in planned) return adoptPayment(context, planned, state);
    isChecked = true;
    plan = planned;
    sight = { ...sight, needs: planned.request.step };
  }

  async function review(attempt: Attempt): Promise<void> {
    await onPaymentChain(context, () => checkNodeChain(context));
    const receipt = attempt.hash === undefined ? undefined : await getReceipt(context.rpc, attempt.hash);
    const { result } = payment;
    const block = result && "payment" in result ? result.payment.block : receipt?.block;
    // In another block it has to be confirmed again.
    if (receipt?.succeeded && receipt.block === block) {
      sight = { ...sight, isPaid: true };
      return;
    }
    if (!context.isPayer) throw invalidOption("signer", "the payer's: the chain no longer has the payment");
    await payment.append({ type: "reopened", attempt: attempt.attempt });
  }

  async function execute(command: Exclude<Command, { do: "stop" }>, state: State): Promise<void> {
    switch (command.do) {
      case "check":
        return check(state);
      case "deliver":
        return hand(command.attempt);
      case "look":
        return look(command.attempt);
      case "review":
        return review(command.attempt);
      case "conclude":
        await checkNodeChain(context);
        await settle(context, command.attempt, receipts);
        sight = { ...sight, isPaid: true };
        return;
      case "start":
        if (plan) await start(context, plan.request, plan.account, state);
        return reset();
      case "record":
        await checkNodeChain(context);
        await payment.append(command.entry);
        return reset();
      case "finish":
        return;
      default:
        await act(context, command.do, command.attempt, state);
        return reset();
    }
  }

  // What a wallet shows of another chain is worth nothing.
  if (first > 0) await onPaymentChain(context, () => checkNodeChain(context));
  for (;;) {
    const state = fold(payment.entries);
    const command = next(state, sight);
    if (command.do === "finish" && payment.result) return payment.result;
    throwIfAborted(context.signal);
    if (command.do !== "stop") {
      await execute(command, state);
      continue;
    }
    await checkNodeChain(context);
    const error = await explainStop(context, command, seen, failure);
    // Else the chain may still make the payment: a reorganisation, or a wallet that sent it despite its error.
    if (command.isOver) return { error };
    throw error;
  }
}

/**
 * Plans the next transaction, and looks whether the chain has the order's payment already: that comes first, as a paid
 * order may leave too little for another payment.
 */
async function planAttempt(
  context: Context,
  progress: Progress,
): Promise<Located | { request: StepRequest; account: PayerAccount }> {
  const [planned, looked] = await Promise.allSettled([nextStep(context, progress), lookUpOrder(context)]);
  if (planned.status === "rejected" && isKeeplightError(planned.reason, "WRONG_CHAIN")) throw planned.reason;
  if (looked.status === "rejected") throw looked.reason;
  const { found } = looked.value;
  if (found) return found;
  if (planned.status === "rejected") throw planned.reason;
  return { request: planned.value, account: looked.value };
}

/** Runs `work`, and again if the wallet was on another chain and was requested to switch. */
async function onPaymentChain<T>(context: Context, work: () => Promise<T>): Promise<T> {
  const { sender, order, signal, switchChain: isAllowed } = context;
  try {
    return await work();
  } catch (error) {
    if (!isKeeplightError(error, "WRONG_CHAIN") || sender.sign || !isAllowed) throw error;
  }
  await switchChain(sender, order.network, signal);
  // Its blocks may be those of the other chain.
  delete context.events.search;
  return work();
}

const toStep = ({ step }: Attempt) => step;
