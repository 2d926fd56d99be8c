import { isKeeplightError } from "../../base/errors/base.ts";
import { paymentUnknown } from "../../base/errors/payment.ts";
import { getReceipt } from "../chain/eth-rpc.ts";
import { type Attempt, fold, type State } from "../machine.ts";
import type { WalletAnswer } from "../wallet/sender.ts";
import { claimHash } from "./account.ts";
import { waitForWallet } from "./ask-wallet.ts";
import { checkNodeChain } from "./checks.ts";
import { type Context, type StepRequest, toFacts } from "./context.ts";
import type { Located } from "./observe.ts";
import { isOthers, toOwner } from "./ownership.ts";
import type { Journey } from "./payment-record.ts";
import { broadcast, makeAttempt } from "./send.ts";

/** Makes an attempt, records it, and only then lets a wallet see it. */
export async function start(
  context: Context,
  journey: Journey,
  request: StepRequest,
  attempt: number,
  state: State,
): Promise<void> {
  const { entry, handOver } = await makeAttempt(context, request, attempt, state);
  await journey.append(entry);
  if (!handOver) return;
  const response = handOver().then((answer) => {
    // As soon as the wallet responds, even if the caller has stopped waiting by then.
    if ("hash" in answer) claimHash(answer.hash, toOwner(context, entry));
    return answer;
  });
  // An aborted run does not wait for it.
  response.catch(() => undefined);
  journey.walletResponses.set(attempt, response);
}

/**
 * Awaits the wallet, or broadcasts the signed transaction; in a later run also every earlier one that the chain no longer
 * knows: a dropped earlier nonce would block the last one.
 */
export async function deliver(context: Context, journey: Journey, attempt: Attempt, isNew: boolean): Promise<void> {
  const response = journey.walletResponses.get(attempt.attempt);
  if (response !== undefined) await awaitWallet(context, journey, attempt, response);
  if (isNew) {
    if (attempt.raw !== undefined) await broadcast(context, attempt);
    return;
  }
  for (const { step, raw, hash, end } of fold(journey.entries)) {
    if (end !== undefined || raw === undefined || hash === undefined || (await getReceipt(context.rpc, hash))) continue;
    await broadcast(context, { step, raw, hash });
  }
}

async function awaitWallet(
  context: Context,
  journey: Journey,
  attempt: Attempt,
  response: Promise<WalletAnswer>,
): Promise<void> {
  const { walletResponses } = journey;
  const answer = await waitForWallet(context, attempt, response).catch((error: unknown) => {
    // A window that is still open is awaited by the next run.
    if (!isKeeplightError(error, "ABORTED")) walletResponses.delete(attempt.attempt);
    throw error;
  });
  walletResponses.delete(attempt.attempt);
  if ("refusal" in answer) {
    await journey.append({ type: "refused", attempt: attempt.attempt });
    if (answer.isForCalls) return;
    throw answer.refusal;
  }
  if ("hash" in answer) await recordAnswer(context, journey, attempt, answer);
  else await journey.append({ type: "answered", attempt: attempt.attempt, ...answer });
  context.report(attempt.step, "sent", "hash" in answer ? answer.hash : undefined);
}

/** Continues with the transaction that the attempt is made by. */
export async function follow(
  context: Context,
  journey: Journey,
  attempt: Attempt,
  { hash, nonce }: Located,
): Promise<void> {
  await checkNodeChain(context);
  await recordAnswer(context, journey, attempt, { hash, nonce });
  if (hash !== attempt.hash) context.report(attempt.step, "sent", hash);
}

async function recordAnswer(context: Context, journey: Journey, attempt: Attempt, answer: Located): Promise<void> {
  // What was given up may be sent again unchanged: it is the same transaction.
  const isOwn = fold(journey.entries).some(({ end, hash }) => end === "given-up" && hash === answer.hash);
  // Another payment found it before the wallet reported it.
  if (!isOwn && isOthers(context, attempt, answer.hash)) throw paymentUnknown(toFacts(context, attempt));
  await context.account.claim(answer.hash, toOwner(context, attempt));
  await journey.append({ type: "answered", attempt: attempt.attempt, ...answer });
}
