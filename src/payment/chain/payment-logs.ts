import { unreadableResponse } from "../../base/errors/payment.ts";
import type { Rpc } from "../../network/ethereum/json-rpc.ts";
import { paymentContract } from "./abi.ts";
import { isLog, type Log, toHex } from "./eth-rpc.ts";

/** A log of a mined transaction. */
export type MinedLog = Log & { hash: string; block: number };

/** Which events of the payment contract to list. */
export interface PaymentLogFilter {
  contract: string;
  /** The address of who paid, and if it matters the token's. */
  addresses: readonly [payer: string, token?: string];
  fromBlock: number;
  toBlock: number;
}

/**
 * Lists the payment contract's events, oldest first. A node may ignore parts of the filter.
 *
 * @throws `INVALID_RESPONSE` for anything but a list; what {@link Rpc} throws
 */
export async function requestPaymentLogs(
  rpc: Rpc,
  { contract, addresses, fromBlock, toBlock }: PaymentLogFilter,
): Promise<MinedLog[]> {
  const method = "eth_getLogs";
  const topics = paymentContract.encodeFilterTopics("ReceivedPayment", [...addresses]);
  const range = { fromBlock: toHex(fromBlock), toBlock: toHex(toBlock) };
  const logs = await rpc(method, [{ address: contract, topics, ...range }]);
  if (!Array.isArray(logs)) throw unreadableResponse(method);
  return logs.flatMap(toMinedLog);
}

function toMinedLog(value: unknown): MinedLog[] {
  const { transactionHash, blockNumber, removed } = Object(value) as Record<string, unknown>;
  if (!isLog(value) || removed === true || typeof transactionHash !== "string" || typeof blockNumber !== "string")
    return [];
  return [{ ...value, hash: transactionHash.toLowerCase(), block: Number(blockNumber) }];
}
