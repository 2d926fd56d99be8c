import { notify } from "../../base/async/abort.ts";
import type { TransactionFacts } from "../../base/errors/details/input-and-requests.ts";
import { paymentUnknown } from "../../base/errors/payment.ts";
import type { RpcPool } from "../../network/ethereum/rpc-pool.ts";
import type { Attempt } from "../machine.ts";
import type { WaitOptions } from "../options.ts";
import type { Order, PaymentProgress, PaymentStep } from "../types.ts";
import type { Sender } from "../wallet/sender.ts";
import { type Account, findOwner, mayHaveForgotten, type Owner } from "./account.ts";

/** A transaction to be made. */
export interface StepRequest {
  step: PaymentStep;
  to: string;
  data: string;
  value: bigint;
  /** Approvals that a wallet makes before it, in the same transaction. */
  approvals?: readonly StepRequest[];
}

/** How to wait; see {@link WaitOptions}. */
interface Waiting {
  confirmations: number;
  waitMs: number;
  missingMs: number;
  pollMs: number;
}

/** Everything that one run of a payment uses. */
export interface Context {
  order: Order;
  sender: Sender;
  rpc: RpcPool;
  signal: AbortSignal | undefined;
  waiting: Waiting;
  /** The most that all transactions of the payment may cost, in the smallest unit of the chain's coin. */
  maxFee: bigint;
  /** Whether a wallet on another chain is requested to switch. */
  switchChain: boolean;
  /** Distinguishes the payment from all others. */
  paymentId: string;
  account: Account;
  report(phase: PaymentProgress["phase"], state?: PaymentProgress["state"], hash?: string): void;
}

/** What reading the chain for a payment requires. */
export type ReadingContext = Pick<Context, "order" | "rpc"> & { sender: Pick<Sender, "address"> };

/** Names an attempt of a payment, to distinguish it from others with the same effect. */
function getAttemptId({ paymentId }: Pick<Context, "paymentId">, { attempt }: Pick<Attempt, "attempt">): string {
  return `${paymentId} ${attempt}`;
}

/** The public facts of a transaction, for errors. */
export function toFacts(
  { order }: Pick<Context, "order">,
  { step, hash }: Pick<Attempt, "step" | "hash">,
): TransactionFacts {
  if (hash === undefined) return { step };
  const link = getExplorerLink(order, hash);
  return { step, hash, ...(link === "" ? {} : { link }) };
}

/** Empty if the network has no explorer. */
export function getExplorerLink({ network }: Order, hash: string): string {
  return network.explorerTxUrl === "" ? "" : `${network.explorerTxUrl}${hash}`;
}

/** Lower-case; zero for the chain's own coin, as in the contract's events. */
export function getTokenAddress({ tokenContract }: Order): string {
  return tokenContract?.address.toLowerCase() ?? `0x${"0".repeat(40)}`;
}

const starts: Readonly<Record<PaymentProgress["phase"], number>> = {
  checking: 0,
  "reset-allowance": 0.1,
  approve: 0.3,
  pay: 0.6,
};
const shares = { signing: 0, sent: 0.5, confirmed: 1 };

/**
 * Reports progress to `onProgress`. What the listener throws, or a rejection of the promise it returns, is ignored: a
 * bug in the UI must not affect the payment.
 */
export function createProgressReporter(order: Order, onProgress: WaitOptions["onProgress"]): Context["report"] {
  let last = 0;
  return (phase, state, hash) => {
    const isEnd = phase === "pay" && state === "confirmed";
    const length = phase === "pay" ? 0.4 : 0.2;
    const fraction = starts[phase] + (state ? shares[state] * length : 0);
    last = isEnd ? 1 : Math.min(Math.max(last, fraction), 0.999);
    const link = hash === undefined ? "" : getExplorerLink(order, hash);
    notify<PaymentProgress>(onProgress, {
      phase,
      fraction: last,
      ...(state === undefined ? {} : { state }),
      ...(hash === undefined ? {} : { hash }),
      ...(link === "" ? {} : { link }),
    });
  };
}

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
