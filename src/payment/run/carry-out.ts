import { throwIfAborted } from "../../base/async/abort.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { paymentRejected } from "../../base/errors/payment.ts";
import { type Attempt, type Command, fold, next, type Sight, type State } from "../machine.ts";
import type { PaymentAction } from "../types.ts";
import { switchChain } from "../wallet/wallet-requests.ts";
import type { Context, StepRequest } from "./context.ts";
import { act, deliver, findGivenUp, follow, start } from "./effects.ts";
import { explainFailure, type PaymentEnd, type Receipts, settle } from "./ending.ts";
import { checkNodeChain, nextStep } from "./next-step.ts";
import type { Seen } from "./observe.ts";
import { createWatch, type Watch } from "./wait-for-transaction.ts";

/** How many blocks must confirm that a payment failed before it is made again. */
const FINALITY_BLOCKS = 32;

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
  const first = fold(context.journey.entries).length;
  const { confirmations } = context.waiting;
  const finality = Math.max(confirmations, FINALITY_BLOCKS);
  const initial: Sight = { isDelivered: false, confirmations, finality, retryBelow: mayRetry ? first : 0 };
  const receipts: Receipts = new Map();
  let sight: Sight = { ...initial, action };
  let seen: Seen | undefined;
  let request: StepRequest | undefined;
  let isChecked = false;
  let watch: Watch | undefined;

  /** The next attempt is looked at afresh. */
  function reset(): void {
    sight = initial;
    watch = undefined;
  }

  async function look(attempt: Attempt): Promise<void> {
    watch ??= createWatch(context, attempt);
    const found = await watch(attempt);
    if (found === "refused") {
      await context.journey.append({ type: "refused", attempt: attempt.attempt });
      throw paymentRejected(attempt.step, undefined);
    }
    if ("hash" in found) return follow(context, attempt, found);
    seen = found;
    sight = { ...sight, seen };
    const { outcome, receipt } = seen;
    if (receipt?.succeeded) receipts.set(attempt.attempt, receipt);
    if (outcome !== "succeeded" || attempt.step === "pay") return;
    context.journey.confirmed.add(attempt.attempt);
    context.report(attempt.step, "confirmed", attempt.hash);
  }

  async function check(state: State): Promise<void> {
    if (await onPaymentChain(context, () => findGivenUp(context, state))) return;
    const made = state.filter(({ end }) => end !== "refused" && end !== "given-up");
    const madeNow = made.filter(({ attempt }) => attempt >= first);
    const mayBatch = !state.some(({ attempt, callsId }) => attempt >= first && callsId !== undefined);
    request = await onPaymentChain(context, () =>
      nextStep(context, { isChecked, mayBatch, done: made.map(toStep), doneNow: madeNow.map(toStep) }),
    );
    isChecked = true;
    sight = { ...sight, needs: request.step };
  }

  async function execute(command: Command, state: State): Promise<PaymentEnd | undefined> {
    switch (command.do) {
      case "check":
        await check(state);
        break;
      case "start":
        if (request) await start(context, request, command.attempt, state);
        reset();
        break;
      case "deliver":
        await deliver(context, command.attempt, command.attempt.attempt >= first);
        sight = { ...sight, isDelivered: true };
        break;
      case "look":
        await look(command.attempt);
        break;
      case "speed-up":
      case "cancel":
      case "give-up":
        await act(context, command.do, command.attempt, state);
        reset();
        break;
      case "conclude":
        await checkNodeChain(context);
        await settle(context, command.attempt, receipts);
        break;
      case "record":
        await checkNodeChain(context);
        await context.journey.append(command.entry);
        reset();
        break;
      case "stop":
        await checkNodeChain(context);
        return explainFailure(context, command.attempt, seen);
      case "finish":
        return context.journey.result;
    }
    return undefined;
  }

  // What a wallet shows of another chain is worth nothing.
  if (first > 0) await onPaymentChain(context, () => checkNodeChain(context));
  for (;;) {
    const state = fold(context.journey.entries);
    const command = next(state, sight);
    if (command.do !== "finish") throwIfAborted(context.signal);
    const end = await execute(command, state);
    if (end) return end;
  }
}

/** Runs `work`, and again if the wallet was on another chain and was requested to switch. */
async function onPaymentChain<T>(context: Context, work: () => Promise<T>): Promise<T> {
  const { sender, order, signal, switchChain: isAllowed } = context;
  try {
    return await work();
  } catch (error) {
    if (!isKeeplightError(error, "WRONG_CHAIN") || sender.kind !== "wallet" || !isAllowed) throw error;
  }
  await switchChain(sender, order.network, signal);
  return work();
}

const toStep = ({ step }: Attempt) => step;
