import { Transaction } from "ethers/transaction";
import { invalidOption } from "../../base/errors/input.ts";
import { paymentTimeout } from "../../base/errors/payment.ts";
import { getNonce } from "../chain/eth-rpc.ts";
import { estimateFees, type Fees } from "../chain/fees.ts";
import type { Attempt, State } from "../machine.ts";
import type { PaymentAction } from "../types.ts";
import { type Context, type StepRequest, toFacts } from "./context.ts";
import { follow } from "./effects.ts";
import { createSearch } from "./find-transaction.ts";
import { type Observation, observe } from "./observe.ts";
import type { Journey } from "./payment-record.ts";
import { type SigningCost, sign, sumFees } from "./send.ts";

/** Gas of a transfer of coins to the payer itself, unless the node estimates more. */
const TRANSFER_GAS = 21_000n;

/**
 * Does what the caller requested for an open attempt, unless the chain shows by now how it ends.
 *
 * @throws `INVALID_OPTION` if that cannot be done for this attempt; what signing throws
 */
export async function act(
  context: Context,
  journey: Journey,
  action: PaymentAction,
  attempt: Attempt,
  state: State,
): Promise<void> {
  if (action === "give-up") return giveUp(context, journey, attempt);
  const { rpc, sender } = context;
  const { nonce, raw, step } = attempt;
  if (sender.kind !== "signing" || nonce === undefined || raw === undefined) {
    throw invalidOption("action", "one that the wallet offers itself: it has not signed here");
  }
  if ((await getNonce(rpc, sender.address, "latest")) > nonce) return;
  const old = Transaction.from(raw);
  const fees = raiseFees(old, await estimateFees(rpc));
  const committed = sumFees(state.filter((other) => other.attempt !== attempt.attempt));
  if (action === "speed-up") {
    const request = { ...attempt, nonce, value: BigInt(attempt.value) };
    const signed = await sign(context, sender, request, {
      cost: { fees, gasLimit: old.gasLimit, l1Fee: 0n },
      committed,
    });
    return journey.append({ type: "signed", ...attempt, nonce, ...signed });
  }
  const nothing: StepRequest = { step, to: sender.address, data: "0x", value: 0n };
  const gasLimit = old.gasLimit > TRANSFER_GAS ? old.gasLimit : TRANSFER_GAS;
  const request = { ...nothing, nonce, attempt: attempt.attempt, fromBlock: attempt.fromBlock };
  const signed = await sign(context, sender, request, { cost: { fees, gasLimit, l1Fee: 0n }, committed });
  return journey.append({ type: "cancelling", attempt: attempt.attempt, ...signed });
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

async function giveUp(context: Context, journey: Journey, attempt: Attempt): Promise<void> {
  if (attempt.raw !== undefined) throw invalidOption("action", "not give-up: a signed transaction can be cancelled");
  const observed = await observeOnce(context, attempt);
  if (observed.kind === "located") return follow(context, journey, attempt, observed.located);
  if (observed.kind !== "missing" && observed.kind !== "mismatch") return;
  journey.walletResponses.delete(attempt.attempt);
  await journey.append({ type: "given-up", attempt: attempt.attempt });
}

/** Continues with a payment that was given up, if the chain shows it by now. */
export async function findGivenUp(context: Context, journey: Journey, state: State): Promise<boolean> {
  for (const attempt of state) {
    if (attempt.end !== "given-up" || attempt.step !== "pay") continue;
    const observed = await observeOnce(context, attempt);
    if (observed.kind === "seen" && observed.seen.outcome === "succeeded" && attempt.hash !== undefined) {
      await follow(context, journey, attempt, { hash: attempt.hash });
      return true;
    }
    if (observed.kind !== "located") continue;
    await follow(context, journey, attempt, observed.located);
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
