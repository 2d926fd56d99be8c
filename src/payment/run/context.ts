import type { TransactionFacts } from "../../errors/facts.ts";
import type { Rpc } from "../../ethereum/json-rpc.ts";
import type { Receipt } from "../chain/eth-rpc.ts";
import type { Order, PaymentProgress, PaymentStep, WaitOptions } from "../types.ts";
import type { Sender } from "../wallet/sender.ts";

/** A transaction to be made. */
export interface StepRequest {
  step: PaymentStep;
  to: string;
  data: string;
  value: bigint;
}

/** A transaction that was signed, or that a wallet was requested to send. Fields are filled in as they become known. */
export interface SentTransaction extends StepRequest {
  /** Distinguishes it from another transaction with the same effect. */
  id: symbol;
  /** The latest block when it was made. */
  fromBlock: number;
  /** How many transactions of the payer were mined by then. */
  noncesUsed: number;
  /** The most it can cost in fees: as signed, or as the node suggested when a wallet was requested to send it. */
  worstCaseFee: bigint;
  /** Known if it was signed here or a node has it. */
  nonce?: number | undefined;
  /** The signed transaction in hex: sending it again cannot pay again. */
  raw?: string | undefined;
  hash?: string | undefined;
  /** The wallet's pending response: the hash. */
  walletResponse?: Promise<string> | undefined;
  /** Whether it was ever seen in a block. */
  wasMined: boolean;
  /** Set once it has all the requested confirmations. */
  receipt?: Receipt | undefined;
}

/** How to wait; see {@link WaitOptions}. */
export interface Waiting {
  confirmations: number;
  waitMs: number;
  pollMs: number;
}

/** Everything that one run of a payment uses. */
export interface Context {
  order: Order;
  sender: Sender;
  rpc: Rpc;
  signal: AbortSignal | undefined;
  waiting: Waiting;
  /** The most that all transactions of the payment may cost, in the smallest unit of the chain's coin. */
  maxFee: bigint;
  report(phase: PaymentProgress["phase"], state?: PaymentProgress["state"], hash?: string): void;
}

/** The public facts of a transaction, for errors. */
export function toFacts(
  { order }: Pick<Context, "order">,
  { step, hash }: Pick<SentTransaction, "step" | "hash">,
): TransactionFacts {
  if (hash === undefined) return { step };
  const link = getExplorerLink(order, hash);
  return { step, hash, ...(link === "" ? {} : { link }) };
}

/** Empty if the network has no explorer. */
export function getExplorerLink({ network }: Order, hash: string): string {
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
 * Reports progress to `onProgress`. What the listener throws, or a rejection of the promise it returns, is ignored: a
 * bug in the UI must not affect the payment.
 */
export function createProgressReporter(order: Order, onProgress: WaitOptions["onProgress"]): Context["report"] {
  let last = 0;
  const notify = async (progress: PaymentProgress): Promise<void> => onProgress?.(progress);
  return (phase, state, hash) => {
    const isEnd = phase === "pay" && state === "confirmed";
    const length = phase === "pay" ? 0.4 : 0.2;
    const fraction = starts[phase] + (state ? shares[state] * length : 0);
    last = isEnd ? 1 : Math.min(Math.max(last, fraction), 0.999);
    const link = hash === undefined ? "" : getExplorerLink(order, hash);
    notify({
      phase,
      fraction: last,
      ...(state === undefined ? {} : { state }),
      ...(hash === undefined ? {} : { hash }),
      ...(link === "" ? {} : { link }),
    }).catch(() => undefined);
  };
}
