import { wait } from "../../async/abort.ts";
import { isKeeplightError, type KeeplightError } from "../../errors/base.ts";
import {
  paymentDropped,
  paymentReorganised,
  paymentReplaced,
  paymentTimeout,
  paymentUnknown,
} from "../../errors/payment.ts";
import {
  type ChainTransaction,
  getNonce,
  getReceipt,
  getTransaction,
  type Receipt,
  requestQuantity,
} from "../chain/eth-rpc.ts";
import { type Context, type SentTransaction, toFacts } from "./context.ts";
import { createSearch, findTransaction, type Search } from "./find-transaction.ts";
import { claimHash, isClaimedByOther } from "./transaction-registry.ts";

/** How many polls in a row may miss or fail: the nodes behind one URL lag behind each other. */
const MAX_MISSED_POLLS = 8;

/** The result of one poll. */
type Observation =
  | { kind: "mined"; receipt: Receipt }
  | { kind: "pending" }
  | { kind: "missing" }
  /** Its nonce is used by another transaction, which may not be found. */
  | { kind: "taken"; by: ChainTransaction | undefined };

/**
 * Polls until a transaction is mined with all its confirmations. If a wallet replaced it with the same transaction at
 * another fee, continues with the new hash.
 *
 * @throws `PAYMENT_DROPPED`, `PAYMENT_REPLACED`, `PAYMENT_REORGANISED`, `PAYMENT_TIMEOUT`, `PAYMENT_UNKNOWN`,
 * `ABORTED`; what {@link Rpc} throws if it does so repeatedly
 */
export async function waitForTransaction(context: Context, transaction: SentTransaction): Promise<Receipt> {
  const { waiting, signal } = context;
  const deadline = performance.now() + waiting.waitMs;
  const search = createSearch(transaction);
  let misses = 0;
  let failures = 0;
  for (;;) {
    try {
      const seen = await observe(context, transaction, search);
      failures = 0;
      if (seen.kind === "mined" && (await isConfirmed(context, transaction, seen.receipt))) return seen.receipt;
      if (seen.kind === "taken" && seen.by) followReplacement(context, transaction, seen.by);
      const isMiss = seen.kind === "missing" || (seen.kind === "taken" && !seen.by);
      misses = isMiss ? misses + 1 : 0;
      if (misses >= MAX_MISSED_POLLS) throw toLostError(context, transaction, seen.kind === "taken");
    } catch (error) {
      if (!isTransient(error) || ++failures >= MAX_MISSED_POLLS) throw error;
    }
    if (performance.now() >= deadline) throw paymentTimeout(toFacts(context, transaction), waiting.waitMs);
    await wait(waiting.pollMs, signal);
  }
}

async function observe({ rpc, sender }: Context, transaction: SentTransaction, search: Search): Promise<Observation> {
  const { hash } = transaction;
  const receipt = hash === undefined ? undefined : await getReceipt(rpc, hash);
  if (receipt) {
    transaction.wasMined = true;
    return { kind: "mined", receipt };
  }
  if (hash === undefined) {
    // The wallet did not report a hash: look for a transaction with the same effect.
    const by = await findTransaction(rpc, sender.address, search, (other) => isEquivalent(other, transaction));
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

/** Whether `other` has the same effect and is not known to belong to another payment of the same amount. */
function isEquivalent(other: ChainTransaction, transaction: SentTransaction): boolean {
  const { to, data, value, noncesUsed } = transaction;
  const same = other.to === to.toLowerCase() && other.data === data && other.value === value;
  return same && other.nonce >= noncesUsed && !isClaimedByOther(transaction, other.hash);
}

async function isConfirmed({ rpc, waiting }: Context, { step }: SentTransaction, receipt: Receipt): Promise<boolean> {
  if (step !== "pay" || waiting.confirmations === 1) return true;
  const latest = Number(await requestQuantity(rpc, "eth_blockNumber"));
  return latest - receipt.block + 1 >= waiting.confirmations;
}

/** Continues with the transaction that used the nonce if it is the same at another fee; throws otherwise. */
function followReplacement(context: Context, transaction: SentTransaction, by: ChainTransaction): void {
  if (!isEquivalent(by, transaction)) throw paymentReplaced(toFacts(context, transaction), by.hash);
  transaction.hash = by.hash;
  claimHash(transaction, by.hash);
  transaction.nonce = by.nonce;
  transaction.raw = undefined;
  context.report(transaction.step, "sent", by.hash);
}

function toLostError(context: Context, transaction: SentTransaction, nonceIsUsed: boolean): KeeplightError {
  const facts = toFacts(context, transaction);
  if (transaction.hash === undefined) return paymentUnknown(facts);
  if (nonceIsUsed) return paymentReplaced(facts, undefined);
  return transaction.wasMined ? paymentReorganised(facts) : paymentDropped(facts);
}

const TRANSIENT = new Set(["NETWORK", "TIMEOUT", "HTTP_STATUS", "INVALID_JSON", "INVALID_RESPONSE", "RPC_REFUSED"]);

/** Whether a failure is the node's and does not concern the transaction. */
function isTransient(error: unknown): boolean {
  return isKeeplightError(error) && TRANSIENT.has(error.code);
}
