import { paymentUnknown } from "../../base/errors/payment.ts";
import type { Attempt } from "../machine.ts";
import { type Context, getAttemptId, toFacts } from "./context.ts";
import { findOwner, mayHaveForgotten, type Owner } from "./owners.ts";

type Claimant = Pick<Attempt, "attempt" | "fromBlock" | "step">;

/** The attempt as an owner of transactions. */
export function toOwner(context: Context, { attempt, fromBlock }: Pick<Claimant, "attempt" | "fromBlock">): Owner {
  const { chainId } = context.order.network;
  return { chainId, fromBlock, attempt: getAttemptId(context, { attempt }) };
}

/**
 * Whether a transaction belongs to another attempt.
 *
 * @throws `PAYMENT_UNKNOWN` if it may: so many were made since this attempt that not all are remembered
 */
export function isOthers(context: Context, attempt: Claimant, hash: string): boolean {
  const own = toOwner(context, attempt);
  const owner = findOwner(hash);
  if (owner === undefined && mayHaveForgotten(own.chainId, own.fromBlock))
    throw paymentUnknown(toFacts(context, attempt));
  return owner !== undefined && owner !== own.attempt;
}
