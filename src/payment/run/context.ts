import type { TransactionFacts } from "../../errors/facts.ts";
import type { Receipt } from "../chain/eth-rpc.ts";
import type { Rpc } from "../chain/rpc.ts";
import type { Order, PaymentProgress, PaymentStep, WaitOptions } from "../types.ts";
import type { Sender } from "../wallet/sender.ts";

/** A transaction that is to be made. */
export interface StepRequest {
  step: PaymentStep;
  to: string;
  data: string;
  value: bigint;
}

/** A transaction that was signed, or that a wallet was asked for. What is known of it grows. */
export interface SentTransaction extends StepRequest {
  /** Tells it from another one that does the same. */
  id: symbol;
  /** The latest block when it was made. */
  fromBlock: number;
  /** How many transactions of the payer were in the chain then. */
  noncesUsed: number;
  /** The most it can cost in fees: as it was signed, or by what the node suggested when a wallet was asked. */
  mostFee: bigint;
  /** Its own, where it was signed here or a node knows it. */
  nonce?: number | undefined;
  /** Signed, in hex: sending it again cannot pay again. */
  raw?: string | undefined;
  hash?: string | undefined;
  /** The wallet's answer to come. */
  asked?: Promise<string> | undefined;
  /** Whether a block had it at some time. */
  wasMined: boolean;
  /** Once it has all the confirmations that were wanted. */
  receipt?: Receipt | undefined;
}

/** How to wait; see {@link WaitOptions}. */
export interface Waiting {
  confirmations: number;
  waitMs: number;
  pollMs: number;
}

/** What one run of a payment works with. */
export interface Context {
  order: Order;
  sender: Sender;
  rpc: Rpc;
  signal: AbortSignal | undefined;
  waiting: Waiting;
  /** The most that all transactions of the payment may cost, in the smallest unit of the chain's coin. */
  maxFee: bigint;
  tell(phase: PaymentProgress["phase"], state?: PaymentProgress["state"], hash?: string): void;
}

/** What anyone may know of a transaction. */
export function toFacts(
  { order }: Pick<Context, "order">,
  { step, hash }: Pick<SentTransaction, "step" | "hash">,
): TransactionFacts {
  if (hash === undefined) return { step };
  const link = linkTo(order, hash);
  return { step, hash, ...(link === "" ? {} : { link }) };
}

/** Empty where the network has no explorer. */
export function linkTo({ network }: Order, hash: string): string {
  return network.explorerTxUrl === "" ? "" : `${network.explorerTxUrl}${hash}`;
}

const starts: Readonly<Record<PaymentProgress["phase"], number>> = {
  checking: 0,
  "reset-allowance": 0.1,
  approve: 0.3,
  pay: 0.6,
};
const shares = { signing: 0, sent: 0.5, confirmed: 1 };

/**
 * Reports progress to `onProgress`. What the listener throws, and what a promise that it returns rejects with, is ignored:
 * a bug in a display must not change what becomes of money.
 */
export function createProgressReporter(order: Order, onProgress: WaitOptions["onProgress"]): Context["tell"] {
  let last = 0;
  const report = async (progress: PaymentProgress): Promise<void> => onProgress?.(progress);
  return (phase, state, hash) => {
    const isEnd = phase === "pay" && state === "confirmed";
    const length = phase === "pay" ? 0.4 : 0.2;
    const at = starts[phase] + (state ? shares[state] * length : 0);
    last = isEnd ? 1 : Math.min(Math.max(last, at), 0.999);
    const link = hash === undefined ? "" : linkTo(order, hash);
    report({
      phase,
      fraction: last,
      ...(state === undefined ? {} : { state }),
      ...(hash === undefined ? {} : { hash }),
      ...(link === "" ? {} : { link }),
    }).catch(() => undefined);
  };
}
