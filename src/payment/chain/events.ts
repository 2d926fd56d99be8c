import type { Interface } from "ethers/abi";
import type { ReceivedPayment } from "../types.ts";
import { erc20, paymentContract } from "./abi.ts";
import type { Log } from "./eth-rpc.ts";

/** A decoded event, and where it is among the logs that it was read from. */
export interface FoundEvent<Event> {
  event: Event;
  log: Log;
  position: number;
}

/** A transfer of a token. Addresses are lower-case. */
export interface TokenTransfer {
  from: string;
  to: string;
  amount: bigint;
}

/** Reads the payments that the contract reports in these logs, in their order. */
export function findPaymentEvents(logs: readonly Log[], contract: string): FoundEvent<ReceivedPayment>[] {
  return findEvents(logs, contract, paymentContract, "ReceivedPayment", (args) => {
    const [sender, tokenAddress, txId, amount, timestamp, data] = args as [
      string,
      string,
      bigint,
      bigint,
      bigint,
      string,
    ];
    return { sender: sender.toLowerCase(), tokenAddress: tokenAddress.toLowerCase(), txId, amount, timestamp, data };
  });
}

/** Reads the transfers that the token reports in these logs, in their order. */
export function findTransfers(logs: readonly Log[], token: string): FoundEvent<TokenTransfer>[] {
  return findEvents(logs, token, erc20, "Transfer", (args) => {
    const [from, to, amount] = args as [string, string, bigint];
    return { from: from.toLowerCase(), to: to.toLowerCase(), amount };
  });
}

/**
 * Reads every event of this name that the contract emitted. Events of the same name and types whose fields are indexed
 * differently cannot be decoded and are skipped.
 */
function findEvents<Event>(
  logs: readonly Log[],
  contract: string,
  abi: Interface,
  name: string,
  toEvent: (args: unknown[]) => Event,
): FoundEvent<Event>[] {
  return logs.flatMap((log, position) => {
    if (log.address.toLowerCase() !== contract.toLowerCase()) return [];
    try {
      const parsed = abi.parseLog(log);
      return parsed?.name === name ? [{ event: toEvent([...parsed.args]), log, position }] : [];
    } catch {
      return [];
    }
  });
}
