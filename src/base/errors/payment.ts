import { type GivenDetails, KeeplightError } from "./base.ts";
import type { TransactionFacts } from "./details/input-and-requests.ts";
import { invalidOption, nearestName } from "./input.ts";

/** @param problem - whether the network table or the payment contract does not know the token */
export function tokenNotSupported(token: string, problem: string, tokens?: readonly string[]): KeeplightError {
  const nearest = tokens && nearestName(token, tokens);
  const others = tokens ? `, it has ${tokens.join(", ")}` : "";
  const hint = nearest === undefined ? others : `, did you mean ${nearest}?`;
  return new KeeplightError("TOKEN_NOT_SUPPORTED", `Token ${token} cannot be paid with: ${problem}${hint}`, {
    details: { token, tokens, nearest },
  });
}

export const wrongChain = (where: string, expected: number, got: bigint) =>
  new KeeplightError("WRONG_CHAIN", `${where} is on chain ${got}, the payment is for chain ${expected}`, {
    details: { expected, got: String(got) },
  });

export const wrongContract = (address: string, problem: string, cause?: unknown) =>
  new KeeplightError("WRONG_CONTRACT", `Wrong contract at ${address}: ${problem}`, { details: { address }, cause });

/** @param purpose - what it does not cover, such as "the amount and the gas" */
export const insufficientFunds = (asset: string, purpose: string, needed: bigint, available: bigint) =>
  new KeeplightError("INSUFFICIENT_FUNDS", `The balance in ${asset} does not cover ${purpose}`, {
    details: { asset, needed: String(needed), available: String(available) },
  });

export const paymentAboveLimit = (amount: bigint, maxAmount: bigint) =>
  new KeeplightError("PAYMENT_ABOVE_LIMIT", `The payment of ${amount} is above maxAmount, ${maxAmount}`, {
    details: { amount: String(amount), maxAmount: String(maxAmount) },
  });

/** @param limit - the response's status and `Retry-After`, if the node was too busy */
export const rpcRefused = (
  method: string,
  { code, message, data }: { code: number | undefined; message: string; data: string | undefined },
  limit: { status?: number; retryAfterSeconds?: number | undefined } = {},
) =>
  new KeeplightError("RPC_REFUSED", `${method} was refused: ${message}`, {
    details: { method, reason: message, rpcCode: code, data, ...limit },
  });

/** A node's response does not fit the request. */
export const unreadableResponse = (method: string) =>
  new KeeplightError("INVALID_RESPONSE", `The node sent no readable response to ${method}`, { details: { method } });

/** @param opinions - what each node says of the payment: a code */
export const nodesDisagree = (opinions: readonly string[]) =>
  new KeeplightError("INVALID_RESPONSE", `The nodes disagree about the payment: ${opinions.join(", ")}`);

export const paymentRejected = (step: string, cause: unknown) =>
  new KeeplightError("PAYMENT_REJECTED", `The signer did not sign the transaction (${step})`, {
    details: { step },
    cause,
  });

/** @param revert - the contract's reason, described, and the name of its error */
export const paymentReverted = (
  facts: TransactionFacts,
  { reason, error }: { reason: string; error?: string | undefined },
  cause?: unknown,
) =>
  new KeeplightError("PAYMENT_REVERTED", `The transaction was reverted (${facts.step}): ${reason}`, {
    details: { ...facts, reason, error },
    cause,
  });

/** The token transfers less than requested: it takes a fee, or is faulty. */
export function paymentUnderpaid(facts: TransactionFacts, amount: bigint, received: bigint): KeeplightError {
  const tense = facts.hash === undefined ? "would receive" : "received";
  return new KeeplightError("PAYMENT_UNDERPAID", `The payment contract ${tense} ${received} of ${amount}`, {
    details: { ...facts, amount: String(amount), received: String(received) },
  });
}

/** How a transaction that was sent may end instead of paying. */
const MISSED = {
  PAYMENT_DROPPED: "The transaction is no longer known to the chain",
  PAYMENT_REPLACED: "Another transaction took the place of this one",
  // It was mined; a reorganisation may still undo that.
  PAYMENT_CANCELLED: "The payment was cancelled",
  PAYMENT_REORGANISED: "The chain was reorganised, and the transaction is no longer in it",
  PAYMENT_TIMEOUT: "The transaction was not confirmed in time",
} as const;

export function paymentMissed<Code extends keyof typeof MISSED>(
  code: Code,
  details: GivenDetails<Code>,
): KeeplightError {
  return new KeeplightError<keyof typeof MISSED>(code, `${MISSED[code]} (${details.step})`, { details });
}

/** The wallet may or may not have sent a transaction; its hash is not known. */
export const paymentUnknown = (facts: TransactionFacts, cause?: unknown) =>
  new KeeplightError(
    "PAYMENT_UNKNOWN",
    `The wallet did not say whether it sent the transaction (${facts.step}): look before paying again`,
    { details: facts, cause },
  );

/** The id of an order names another one. */
export const otherOrder = () =>
  invalidOption("orderId", "an id that no payment on another network, in another token or amount has");

/** @param hashes - payments like the order's, one of which may be its own */
export function orderUncertain(
  searched: { fromBlock: number; toBlock: number } | null,
  hashes: readonly string[],
  cause?: unknown,
): KeeplightError {
  const problem =
    hashes.length > 0 ? `${hashes.join(", ")} may be its payment` : "the node does not search the contract's events";
  return new KeeplightError(
    "ORDER_UNCERTAIN",
    `Whether the order was paid before is not certain: ${problem}; searchBlocks: 0 pays without a search`,
    { details: { searched, hashes: [...hashes] }, cause },
  );
}

/** @param mined - how many transactions of the payer are mined; `pending` how many the node knows */
export const payerBusy = (problem: string, mined: number, pending: number) =>
  new KeeplightError("PAYER_BUSY", `The payer's account is busy: ${problem}`, { details: { mined, pending } });

/** @param needed - how many blocks have to confirm it; `confirmations` how many do */
export const paymentUnconfirmed = (hash: string, confirmations: number, needed: number) =>
  new KeeplightError("PAYMENT_UNCONFIRMED", `The transaction has ${confirmations} of ${needed} confirmations`, {
    details: { hash, confirmations, needed },
  });

/** A transaction that was to be verified pays something else. */
export const notThePayment = (
  hash: string,
  field: "contract" | "token" | "sender" | "logIndex" | "mark" | "block" | "nonce" | "amount",
  expected: string,
  got: string,
) =>
  new KeeplightError("PAYMENT_MISMATCH", `The transaction is another payment: ${field} is ${got || "none"}`, {
    details: { step: "pay", hash, field, expected, got },
  });
