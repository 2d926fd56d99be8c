import { allInOrder } from "../../base/async/queue.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { orderUncertain, payerBusy } from "../../base/errors/payment.ts";
import { findPaymentEvents, type MinedLog } from "../chain/contracts.ts";
import { getNonce, requestQuantity } from "../chain/eth-rpc.ts";
import { fold } from "../machine.ts";
import { listKnownAttempts } from "./account.ts";
import type { Context, EventSearch } from "./context.ts";
import { createEventSearch, findMarked, type Located, listPayerEvents, MARGIN_BLOCKS } from "./find-transaction.ts";
import { isOrdered } from "./match.ts";

/** The payer's account before an attempt. */
export interface PayerAccount {
  /** The latest block. */
  fromBlock: number;
  /** The nonce of the payer's next transaction, pending ones included. */
  nextNonce: number;
  /** The order's payment, if the chain has it already. */
  found?: Located | undefined;
}

/**
 * Reads the payer's nonce, and then whether the chain has the order's payment: in this order, as a payment that is mined
 * meanwhile has used the nonce.
 *
 * @throws `ORDER_UNCERTAIN`, `PAYER_BUSY`; what {@link Rpc} throws
 */
export function lookUpOrder(context: Context): Promise<PayerAccount> {
  return context.rpc.onOneNode(async (rpc) => {
    const node = { ...context, rpc };
    const { address } = context.sender;
    // First: what uses the nonce is in a later block.
    const latest = await requestQuantity(rpc, "eth_blockNumber");
    const [mined, pending] = await allInOrder([getNonce(rpc, address, "latest"), getNonce(rpc, address, "pending")]);
    const account = { fromBlock: Number(latest), nextNonce: Math.max(mined, pending) };
    if (context.orderId === undefined) return account;
    const [found] = await searchPayments(node);
    if (found) return { ...account, found };
    await refuseUnknownTransactions(node, mined, pending);
    return account;
  });
}

/** The search of this run: from the first attempt or the order's first block on, or so many blocks back. */
export async function getEventSearch({ events, order, journey, rpc, searchBlocks }: Context) {
  if (events.search) return events.search;
  const first = Math.min(...fold(journey.entries).map(({ fromBlock }) => fromBlock), order.fromBlock ?? Infinity);
  const block = Number.isFinite(first)
    ? first - MARGIN_BLOCKS
    : Number(await requestQuantity(rpc, "eth_blockNumber")) - searchBlocks + 1;
  events.search ??= createEventSearch(block);
  return events.search;
}

async function searchPayments(context: Context): Promise<Located[]> {
  const { order, searchBlocks, journey } = context;
  // Coins carry no mark: what the journal knows, or else a payment of the same amount, has to be ruled out.
  const isKnown = journey.entries.length > 0;
  if (searchBlocks === 0 || (order.mark === undefined && (order.tokenContract || isKnown))) return [];
  const search = await getEventSearch(context);
  const logs = await listPayerEvents(context, search).catch((error: unknown) => throwUncertain(search, error));
  if (order.mark !== undefined) return findMarked(context, logs);
  await refuseLookAlikes(context, search, logs);
  return [];
}

function throwUncertain({ firstBlock, fromBlock }: EventSearch, error: unknown): never {
  const isRefusal = isKeeplightError(error, "RPC_REFUSED") || isKeeplightError(error, "HTTP_STATUS");
  if (!isRefusal) throw error;
  throw orderUncertain(fromBlock > firstBlock ? { fromBlock: firstBlock, toBlock: fromBlock - 1 } : null, [], error);
}

/** Refuses if a payment in coins that nothing is known of may be the order's. */
async function refuseLookAlikes(context: Context, search: EventSearch, logs: readonly MinedLog[]): Promise<void> {
  const { order } = context;
  const similar = findPaymentEvents(logs, order.network.contract).filter(({ event }) => isOrdered(order, event));
  if (similar.length === 0) return;
  const known = new Set((await listKnownAttempts(context, { withJournal: true })).map(({ hash }) => hash));
  const unknown = similar.map(({ position }) => logs[position]?.hash ?? "").filter((hash) => !known.has(hash));
  if (unknown.length === 0) return;
  const searched = { fromBlock: search.firstBlock, toBlock: search.fromBlock + MARGIN_BLOCKS - 1 };
  throw orderUncertain(searched, [...new Set(unknown)]);
}

/** Refuses while the payer has pending transactions of which nothing is known: one may be the order's payment. */
async function refuseUnknownTransactions(context: Context, mined: number, pending: number): Promise<void> {
  if (pending <= mined) return;
  const attempts = await listKnownAttempts(context, { withJournal: true });
  const known = new Set(
    attempts.filter(({ end }) => end === undefined).map(({ nonce, nextNonce }) => nonce ?? nextNonce),
  );
  for (let nonce = mined; nonce < pending; nonce++) {
    if (!known.has(nonce)) {
      const problem = `its transaction ${nonce} is pending, and may be this payment: try again once it is mined`;
      throw payerBusy(problem, mined, pending);
    }
  }
}
