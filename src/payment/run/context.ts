import { notify } from "../../base/async/abort.ts";
import type { TransactionFacts } from "../../base/errors/details/input-and-requests.ts";
import type { Resolved } from "../../base/operation.ts";
import type { LogSearch } from "../../network/ethereum/log-search.ts";
import type { RpcPool } from "../../network/ethereum/rpc-pool.ts";
import type { Sender } from "../../network/ethereum/wallet/sender.ts";
import type { Attempt } from "../machine.ts";
import type { RunningOptions, runningSchema } from "../options.ts";
import type { Order, PaymentProgress, PaymentStep } from "../types.ts";
import type { OngoingPayment } from "./ongoing-payment.ts";

export interface StepRequest {
  step: PaymentStep;
  to: string;
  data: string;
  value: bigint;
  /** Approvals that a wallet makes before it, in the same transaction. */
  approvals?: readonly StepRequest[];
}

/** Everything that one run of a payment uses. */
export interface Context {
  order: Order;
  sender: Sender;
  rpc: RpcPool;
  signal: AbortSignal | undefined;
  waiting: Pick<Resolved<typeof runningSchema>, "waitMs" | "missingMs" | "pollMs"> & { confirmations: number };
  maxFee: bigint;
  /** The most that this run may start to pay: an order keeps the amount of its first attempt. */
  maxAmount: bigint | undefined;
  switchChain: boolean;
  /** Whether the sender is the payer's: another one may only look at what was paid. */
  isPayer: boolean;
  /** How many blocks back the contract's events are searched for an order that nothing is known of. */
  searchBlocks: number;
  /** The search for the order's mark, which all looks of this run share. */
  events: { search?: LogSearch };
  payment: OngoingPayment;
  report(phase: PaymentProgress["phase"], state?: PaymentProgress["state"], hash?: string): void;
}

/** What reading the chain for a payment requires. */
export type ReadingContext = Pick<Context, "order" | "rpc"> & { sender: Pick<Sender, "address"> };

export function toFacts({ order }: { order: Order }, { step, hash }: Pick<Attempt, "step" | "hash">): TransactionFacts {
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
export function createProgressReporter(order: Order, onProgress: RunningOptions["onProgress"]): Context["report"] {
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
