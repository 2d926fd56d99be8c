import type { Log } from "../chain/eth-rpc.ts";
import { findPaymentEvents, findTransfers } from "../chain/events.ts";
import type { ReceivedPayment } from "../types.ts";
import { NO_TOKEN } from "./types.ts";

/** A payment that the contract reported. */
export interface FoundPayment {
  event: ReceivedPayment;
  log: Log;
  /** Among the logs of the transaction: unlike the index in the block, a reorganisation does not change it. */
  position: number;
  /** How much arrived: of a token, no more than it reports to have transferred for this payment. */
  received: bigint;
}

/** Finds the payments to the contract in all logs of a transaction, in their order. */
export function findPayments(logs: readonly Log[], contract: string): FoundPayment[] {
  let from = 0;
  return findPaymentEvents(logs, contract).map(({ event, log, position }) => {
    const { sender, tokenAddress, amount } = event;
    // The contract transfers the token, then emits its event.
    const transfers = findTransfers(logs.slice(from, position), tokenAddress);
    from = position + 1;
    if (tokenAddress === NO_TOKEN) return { event, log, position, received: amount };
    const transferred = transfers
      .filter((transfer) => transfer.event.from === sender && transfer.event.to === contract.toLowerCase())
      .reduce((sum, transfer) => sum + transfer.event.amount, 0n);
    return { event, log, position, received: transferred < amount ? transferred : amount };
  });
}
