import { wait } from "../../async/abort.ts";
import { isKeeplightError, type KeeplightError } from "../../errors/base.ts";
import {
  paymentDropped,
  paymentReorganised,
  paymentReplaced,
  paymentTimeout,
  paymentUnknown,
} from "../../errors/payment.ts";
import { ask, type ChainTransaction, getNonce, getReceipt, getTransaction, type Receipt } from "../chain/eth-rpc.ts";
import { type Context, type SentTransaction, toFacts } from "./context.ts";
import { findTransaction, type Search, searchSince } from "./find-transaction.ts";
import { claimHash, isClaimedByOther } from "./transaction-registry.ts";

/** How many looks in a row may find nothing, or fail, before it counts: nodes behind one name lag behind each other. */
const MAX_MISSED_POLLS = 8;

/** What one look at the chain saw. */
type Observation =
  | { kind: "mined"; receipt: Receipt }
  | { kind: "pending" }
  | { kind: "missing" }
  /** Its nonce is used, by a transaction that may not be found. */
  | { kind: "taken"; by: ChainTransaction | undefined };

/**
 * Watches a transaction until it is in the chain with all its confirmations. One that a wallet sent again with another
 * fee is followed under its new hash.
 *
 * @throws `PAYMENT_DROPPED`, `PAYMENT_REPLACED`, `PAYMENT_REORGANISED`, `PAYMENT_TIMEOUT`, `PAYMENT_UNKNOWN`, `ABORTED`; what
 * {@link Rpc} throws when it does so time after time
 */
export async function waitForTransaction(context: Context, transaction: SentTransaction): Promise<Receipt> {
  const { waiting, signal } = context;
  const deadline = performance.now() + waiting.waitMs;
  const search = searchSince(transaction);
  let misses = 0;
  let failures = 0;
  for (;;) {
    try {
      const sight = await look(context, transaction, search);
      failures = 0;
      if (sight.kind === "mined" && (await isConfirmed(context, transaction, sight.receipt))) return sight.receipt;
      if (sight.kind === "taken" && sight.by) follow(context, transaction, sight.by);
      const isMiss = sight.kind === "missing" || (sight.kind === "taken" && !sight.by);
      misses = isMiss ? misses + 1 : 0;
      if (misses >= MAX_MISSED_POLLS) throw lost(context, transaction, sight.kind === "taken");
    } catch (error) {
      if (!isPassing(error) || ++failures >= MAX_MISSED_POLLS) throw error;
    }
    if (performance.now() >= deadline) throw paymentTimeout(toFacts(context, transaction), waiting.waitMs);
    await wait(waiting.pollMs, signal);
  }
}

async function look({ rpc, sender }: Context, transaction: SentTransaction, search: Search): Promise<Observation> {
  const { hash } = transaction;
  const receipt = hash === undefined ? undefined : await getReceipt(rpc, hash);
  if (receipt) {
    transaction.wasMined = true;
    return { kind: "mined", receipt };
  }
  if (hash === undefined) {
    // A wallet did not tell its hash: it is whatever transaction did the same, if there is one.
    const by = await findTransaction(rpc, sender.address, search, (other) => isItself(other, transaction));
    return by ? { kind: "taken", by } : { kind: "missing" };
  }
  const known = await getTransaction(rpc, hash);
  transaction.nonce ??= known?.nonce;
  const { nonce } = transaction;
  if (nonce === undefined || (await getNonce(rpc, sender.address, "latest")) <= nonce) {
    return { kind: known ? "pending" : "missing" };
  }
  const by = await findTransaction(rpc, sender.address, search, (other) => other.nonce === nonce);
  return by?.hash === hash ? { kind: "pending" } : { kind: "taken", by };
}

/** Whether it does the same, and is not known to be of another payment of the same amount. */
function isItself(other: ChainTransaction, transaction: SentTransaction): boolean {
  const { to, data, value, noncesUsed } = transaction;
  const same = other.to === to.toLowerCase() && other.data === data && other.value === value;
  return same && other.nonce >= noncesUsed && !isClaimedByOther(transaction, other.hash);
}

async function isConfirmed({ rpc, waiting }: Context, { step }: SentTransaction, receipt: Receipt): Promise<boolean> {
  if (step !== "pay" || waiting.confirmations === 1) return true;
  const latest = Number(await ask(rpc, "eth_blockNumber"));
  return latest - receipt.block + 1 >= waiting.confirmations;
}

/** The transaction that took the place is the same with another fee, or it is another one. */
function follow(context: Context, transaction: SentTransaction, by: ChainTransaction): void {
  if (!isItself(by, transaction)) throw paymentReplaced(toFacts(context, transaction), by.hash);
  transaction.hash = by.hash;
  claimHash(transaction, by.hash);
  transaction.nonce = by.nonce;
  transaction.raw = undefined;
  context.tell(transaction.step, "sent", by.hash);
}

function lost(context: Context, transaction: SentTransaction, nonceIsUsed: boolean): KeeplightError {
  const facts = toFacts(context, transaction);
  if (transaction.hash === undefined) return paymentUnknown(facts);
  if (nonceIsUsed) return paymentReplaced(facts, undefined);
  return transaction.wasMined ? paymentReorganised(facts) : paymentDropped(facts);
}

const PASSING = new Set(["NETWORK", "TIMEOUT", "HTTP_STATUS", "INVALID_JSON", "INVALID_RESPONSE", "RPC_REFUSED"]);

/** Whether a failure says something of the node and nothing of the transaction. */
function isPassing(error: unknown): boolean {
  return isKeeplightError(error) && PASSING.has(error.code);
}
