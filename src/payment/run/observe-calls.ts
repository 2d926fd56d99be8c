import type { Attempt } from "../machine.ts";
import { readCallsStatus } from "../wallet/calls.ts";
import { checkNodeChain } from "./checks.ts";
import type { Context } from "./context.ts";
import { findPaymentLog, ignoreRefusal } from "./find-payment-log.ts";
import type { Search } from "./find-transaction.ts";

/** What the chain and the wallet show of calls. `refused`: the wallet did not make them, and will not. */
export type CallsSight =
  | { kind: "located"; located: { hash: string; nonce?: number } }
  | { kind: "pending" | "missing" | "refused" }
  | { kind: "reverted" };

/**
 * Looks at calls that a wallet makes in one transaction, whose hash is unknown or not that of the payment: the contract's
 * event proves the payment, whatever the wallet reports. That it made none is believed only of a wallet on whose chain
 * there is no event.
 */
export async function observeCalls(
  context: Context,
  attempt: Attempt,
  callsId: string,
  search: Search,
): Promise<CallsSight> {
  const { sender } = context;
  await checkNodeChain(context);
  const logs = await findPaymentLog(context, attempt, search)
    .then((found) => ({ found }))
    .catch(ignoreRefusal);
  if (logs?.found && logs.found.hash !== attempt.hash) return { kind: "located", located: logs.found };
  if (sender.kind !== "wallet") return { kind: "missing" };
  const { state, hash = attempt.hash } = await readCallsStatus(sender, callsId);
  if (hash !== undefined && hash !== attempt.hash) return { kind: "located", located: { hash } };
  if (state === "reverted" && hash !== undefined) return { kind: "reverted" };
  const isDropped = state === "dropped" || state === "reverted";
  if (isDropped && logs) return { kind: "refused" };
  return { kind: state === "pending" ? "pending" : "missing" };
}
