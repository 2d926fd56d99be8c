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
import type { Attempt, Outcome } from "../machine.ts";
import { isClaimedByOther } from "./account.ts";
import { type Context, getAttemptId, toFacts } from "./context.ts";
import { createSearch, type FoundTransaction, findTransaction, type Search } from "./find-transaction.ts";

/** How many polls in a row may miss or fail: the nodes behind one URL lag behind each other. */
const MAX_MISSED_POLLS = 8;

/** The state of an attempt on the chain. */
export interface Seen {
  outcome: Outcome;
  /** How many blocks confirm that, the first included. */
  confirmations: number;
  /** Of a mined transaction. */
  receipt?: Receipt | undefined;
  /** Hash of the transaction that used the nonce. */
  by?: string | undefined;
}

/** By which transaction an attempt is made. */
export interface Located {
  hash: string;
  nonce: number;
}

/** The result of one poll. */
type Observation =
  | { kind: "seen"; seen: Seen }
  | { kind: "pending" }
  | { kind: "missing" }
  /** Its nonce is used by another transaction, which is not found. */
  | { kind: "taken" }
  | { kind: "located"; located: Located };

/** Watches the latest attempt during one run. */
export interface Watch {
  /**
   * Polls until the attempt's transaction is mined or displaced, or is found to have another hash; a second call waits
   * for the next poll first.
   *
   * @throws `PAYMENT_DROPPED`, `PAYMENT_REPLACED`, `PAYMENT_REORGANISED`, `PAYMENT_TIMEOUT`, `PAYMENT_UNKNOWN`,
   * `ABORTED`; what {@link Rpc} throws if it does so repeatedly
   */
  look(attempt: Attempt): Promise<Seen | Located>;
}

export function createWatch(context: Context, { fromBlock }: Attempt): Watch {
  const { waiting, signal } = context;
  const deadline = performance.now() + waiting.waitMs;
  const search = createSearch({ fromBlock });
  let misses = 0;
  let failures = 0;
  let wasMined = false;
  let isFirst = true;

  return {
    async look(attempt) {
      for (;;) {
        if (!isFirst) {
          if (performance.now() >= deadline) throw paymentTimeout(toFacts(context, attempt), waiting.waitMs);
          await wait(waiting.pollMs, signal);
        }
        isFirst = false;
        try {
          const observed = await observe(context, attempt, search, misses);
          failures = 0;
          const isMiss = observed.kind === "missing" || observed.kind === "taken";
          misses = isMiss ? misses + 1 : 0;
          if (observed.kind === "located") return observed.located;
          if (observed.kind === "seen") {
            wasMined ||= observed.seen.receipt !== undefined;
            return observed.seen;
          }
          if (misses >= MAX_MISSED_POLLS) throw toLostError(context, attempt, observed.kind === "taken", wasMined);
        } catch (error) {
          if (!isTransient(error) || ++failures >= MAX_MISSED_POLLS) throw error;
        }
      }
    },
  };
}

async function observe(context: Context, attempt: Attempt, search: Search, misses: number): Promise<Observation> {
  const { rpc, sender } = context;
  const { hash, nonce } = attempt;
  const receipt = hash === undefined ? undefined : await getReceipt(rpc, hash);
  if (receipt) return { kind: "seen", seen: await toSeen(context, receipt) };
  const known = hash === undefined ? undefined : await getTransaction(rpc, hash);
  if (nonce === undefined) {
    if (known) return { kind: "located", located: known };
    // Nodes lag behind each other: only a hash that stays unknown has been replaced in the wallet.
    if (hash !== undefined && misses < MAX_MISSED_POLLS - 1) return { kind: "missing" };
    // Look for a transaction with the same effect.
    const found = await findTransaction(rpc, sender.address, search, (other) => isEquivalent(context, other, attempt));
    return found ? { kind: "located", located: found } : { kind: "missing" };
  }
  if ((await getNonce(rpc, sender.address, "latest")) <= nonce) return { kind: known ? "pending" : "missing" };
  const by = await findTransaction(rpc, sender.address, search, (other) => other.nonce === nonce);
  if (!by) return { kind: "taken" };
  if (by.hash === hash) return { kind: "pending" };
  return isEquivalent(context, by, attempt)
    ? { kind: "located", located: by }
    : { kind: "seen", seen: toDisplaced(by) };
}

function toDisplaced({ hash, block, latest }: FoundTransaction): Seen {
  return { outcome: "displaced", confirmations: latest - block + 1, by: hash };
}

/** A single confirmation requires no further request. */
async function toSeen({ rpc, waiting }: Context, receipt: Receipt): Promise<Seen> {
  const outcome = receipt.succeeded ? "succeeded" : "reverted";
  if (receipt.succeeded && waiting.confirmations === 1) return { outcome, confirmations: 1, receipt };
  const latest = Number(await requestQuantity(rpc, "eth_blockNumber"));
  // A reorganisation may have moved the transaction after its block was read, and before the latest one was.
  const again = await getReceipt(rpc, receipt.hash);
  const isSettled = again?.block === receipt.block && again.succeeded === receipt.succeeded;
  return { outcome, confirmations: isSettled ? Math.max(1, latest - receipt.block + 1) : 1, receipt };
}

/** Whether `other` has the same effect and is not known to belong to another payment of the same amount. */
function isEquivalent(context: Context, other: ChainTransaction, attempt: Attempt): boolean {
  const { to, data, value, noncesUsed } = attempt;
  const same = other.to === to.toLowerCase() && other.data === data && other.value === BigInt(value);
  return same && other.nonce >= noncesUsed && !isClaimedByOther(other.hash, getAttemptId(context, attempt));
}

function toLostError(context: Context, attempt: Attempt, nonceIsUsed: boolean, wasMined: boolean): KeeplightError {
  const facts = toFacts(context, attempt);
  if (attempt.hash === undefined) return paymentUnknown(facts);
  if (nonceIsUsed) return paymentReplaced(facts, undefined);
  return wasMined ? paymentReorganised(facts) : paymentDropped(facts);
}

const TRANSIENT = new Set(["NETWORK", "TIMEOUT", "HTTP_STATUS", "INVALID_JSON", "INVALID_RESPONSE", "RPC_REFUSED"]);

/** Whether a failure is the node's and does not concern the transaction. */
function isTransient(error: unknown): boolean {
  return isKeeplightError(error) && TRANSIENT.has(error.code);
}
