import { isKeeplightError } from "../../errors/base.ts";
import { paymentContract } from "../chain/abi.ts";
import { getTransaction, isLog, type Log, toHex } from "../chain/eth-rpc.ts";
import { findPaymentEvents } from "../chain/events.ts";
import type { Attempt } from "../machine.ts";
import { isClaimedByOther } from "./account.ts";
import { type Context, getAttemptId, getTokenAddress } from "./context.ts";
import { isDirect, isOrdered } from "./verify.ts";

/** How many blocks a reorganisation may revert. */
const MARGIN_BLOCKS = 10;

/** A log of a mined transaction. */
type MinedLog = Log & { hash: string; block: number };

/**
 * Finds the transaction of an attempt by the contract's event: however the wallet sent it, the event names the payer. A
 * payment that another attempt owns, or that was made before this one, is not taken for it.
 *
 * @returns the hash, and the nonce if it is the payer's own transaction; `undefined` also if the node does not search logs
 * @throws what {@link Rpc} throws if the node fails
 */
export async function findPaymentLog(
  context: Context,
  attempt: Attempt,
): Promise<{ hash: string; nonce?: number } | undefined> {
  const { order, rpc, sender } = context;
  const { fromBlock, noncesUsed } = attempt;
  const attemptId = getAttemptId(context, attempt);
  const tokenAddress = getTokenAddress(order);
  for (const log of await listPaymentLogs(context, [sender.address, tokenAddress], fromBlock)) {
    const { hash, block } = log;
    const [found] = findPaymentEvents([log], order.network.contract);
    if (!found || !isOrdered(context, found.event) || isClaimedByOther(hash, attemptId)) continue;
    const transaction = await getTransaction(rpc, hash);
    if (!transaction) continue;
    const { from, nonce } = transaction;
    const isLater = from === sender.address ? nonce >= noncesUsed : block > fromBlock;
    if (isLater) return isDirect(context, attempt, transaction) ? { hash, nonce } : { hash };
  }
  return undefined;
}

/** Lists the contract's events with these addresses, oldest first; none if the node refuses. */
async function listPaymentLogs(
  { order, rpc }: Context,
  addresses: readonly [payer: string, token: string],
  fromBlock: number,
): Promise<MinedLog[]> {
  const topics = paymentContract.encodeFilterTopics("ReceivedPayment", [...addresses]);
  const first = toHex(Math.max(0, fromBlock - MARGIN_BLOCKS));
  const filter = { address: order.network.contract, topics, fromBlock: first, toBlock: "latest" };
  try {
    const logs = await rpc("eth_getLogs", [filter]);
    return Array.isArray(logs) ? logs.flatMap(toMinedLog) : [];
  } catch (error) {
    if (isKeeplightError(error, "RPC_REFUSED")) return [];
    throw error;
  }
}

function toMinedLog(value: unknown): MinedLog[] {
  const { transactionHash, blockNumber, removed } = Object(value) as Record<string, unknown>;
  if (!isLog(value) || removed === true || typeof transactionHash !== "string" || typeof blockNumber !== "string")
    return [];
  return [{ ...value, hash: transactionHash.toLowerCase(), block: Number(blockNumber) }];
}
