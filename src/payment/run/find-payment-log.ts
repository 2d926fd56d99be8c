import { isKeeplightError } from "../../base/errors/base.ts";
import { paymentTimeout, unreadableResponse } from "../../base/errors/payment.ts";
import { getTransaction, requestQuantity } from "../chain/eth-rpc.ts";
import { findPaymentEvents } from "../chain/events.ts";
import { type MinedLog, requestPaymentLogs } from "../chain/payment-logs.ts";
import type { Attempt } from "../machine.ts";
import { type Context, getTokenAddress, toFacts } from "./context.ts";
import { getStartOfMargin, type Search } from "./find-transaction.ts";
import { isOthers } from "./ownership.ts";
import { isDirect, isOrdered } from "./verify.ts";

/** A node that refuses this many blocks refuses for another reason. */
const MIN_LOG_BLOCKS = 100;

/** The payer's own transaction, or one of another account that paid for it. */
interface FoundPayment {
  hash: string;
  /** Absent if another account sent it. */
  nonce?: number;
}

/**
 * Finds the transaction of an attempt by the contract's event: however the wallet sent it, the event names the payer. A
 * payment that another attempt owns, or that was made before this one, is not taken for it. Keeps its progress, like
 * {@link findTransaction}.
 *
 * @throws `PAYMENT_TIMEOUT`; what {@link Rpc} throws, `RPC_REFUSED` if the node does not search logs: what is not
 * searched is not empty
 */
export async function findPaymentLog(
  context: Context,
  attempt: Attempt,
  search: Search,
): Promise<FoundPayment | undefined> {
  const { rpc, waiting } = context;
  const latest = Number(await requestQuantity(rpc, "eth_blockNumber"));
  while (search.logsFromBlock <= latest) {
    if (performance.now() >= search.deadline) throw paymentTimeout(toFacts(context, attempt), waiting.waitMs);
    const toBlock = Math.min(latest, search.logsFromBlock + search.logBlocks - 1);
    const logs = await listPaymentLogs(context, search, toBlock);
    if (!logs) continue;
    for (const log of logs) {
      const found = await matchLog(context, attempt, log);
      if (found) return found;
    }
    search.logsFromBlock = toBlock + 1;
  }
  search.logsFromBlock = getStartOfMargin(search, latest);
  return undefined;
}

/** Where it is enough to find the payment on a node that searches logs. */
export function ignoreRefusal(error: unknown): undefined {
  if (isKeeplightError(error, "RPC_REFUSED")) return undefined;
  throw error;
}

async function matchLog(context: Context, attempt: Attempt, log: MinedLog): Promise<FoundPayment | undefined> {
  const { order, rpc, sender } = context;
  const { hash, block } = log;
  const [found] = findPaymentEvents([log], order.network.contract);
  if (!found || !isOrdered(context, found.event)) return undefined;
  const transaction = await getTransaction(rpc, hash);
  if (!transaction) throw unreadableResponse("eth_getTransactionByHash");
  const { from, nonce, data } = transaction;
  // A smart account's transaction contains the call.
  if (order.mark !== undefined && !data.includes(order.mark)) return undefined;
  const isLater = from === sender.address ? nonce >= attempt.noncesUsed : block > attempt.fromBlock;
  if (!isLater || isOthers(context, attempt, hash)) return undefined;
  return isDirect(context, attempt, transaction) ? { hash, nonce } : { hash };
}

/** Lists the contract's events for the payer, oldest first. `undefined` if fewer blocks are to be requested. */
async function listPaymentLogs(
  { order, rpc, sender }: Context,
  search: Search,
  toBlock: number,
): Promise<MinedLog[] | undefined> {
  const { contract } = order.network;
  const { logsFromBlock: fromBlock } = search;
  const addresses = [sender.address, getTokenAddress(order)] as const;
  try {
    return await requestPaymentLogs(rpc, { contract, addresses, fromBlock, toBlock });
  } catch (error) {
    const blocks = toBlock - fromBlock + 1;
    if (!isKeeplightError(error, "RPC_REFUSED") || blocks <= MIN_LOG_BLOCKS) throw error;
    search.logBlocks = Math.ceil(blocks / 2);
    return undefined;
  }
}
