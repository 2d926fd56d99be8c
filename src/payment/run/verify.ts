import { isKeeplightError } from "../../base/errors/base.ts";
import { unreadableResponse } from "../../base/errors/payment.ts";
import type { Rpc } from "../../network/ethereum/json-rpc.ts";
import { type ChainTransaction, getTransaction, type Receipt, requestQuantity, toHex } from "../chain/eth-rpc.ts";
import { findPaymentEvents } from "../chain/events.ts";
import type { Attempt } from "../machine.ts";
import type { ReceivedPayment } from "../types.ts";
import { type Context, getTokenAddress } from "./context.ts";

/** Why a transaction is not the one that an attempt was to make. */
export interface Mismatch {
  /** Address of the account that made the payment instead of the payer. */
  paidBy?: string | undefined;
}

/** Whether the payer itself sent what the attempt was to send. */
export function isDirect({ sender }: Context, attempt: Attempt, transaction: ChainTransaction): boolean {
  return transaction.from === sender.address && isSameCall(attempt, transaction);
}

function isSameCall({ to, data, value }: Attempt, transaction: ChainTransaction): boolean {
  return transaction.to === to.toLowerCase() && transaction.data === data && transaction.value === BigInt(value);
}

/**
 * Compares a mined transaction that a wallet reported with the attempt. Smart accounts pay within the transaction of
 * another account: then the contract's event shows the payment, or, as contracts need not emit one for the chain's own
 * coin, what the balances of payer and contract changed by.
 *
 * @throws `INVALID_RESPONSE` if the node has the receipt and not the transaction; what {@link Rpc} throws
 */
export async function findMismatch(
  context: Context,
  attempt: Attempt,
  receipt: Receipt,
): Promise<Mismatch | undefined> {
  const { order, rpc, sender } = context;
  const transaction = await getTransaction(rpc, receipt.hash);
  if (!transaction) throw unreadableResponse("eth_getTransactionByHash");
  if (isDirect(context, attempt, transaction)) return undefined;
  // A reverted transaction of another account may be sent again.
  if (!receipt.succeeded) return {};
  if (attempt.step !== "pay") return undefined;
  const events = findPaymentEvents(receipt.logs, order.network.contract).map(({ event }) => event);
  const ordered = events.filter((event) => isOrdered(context, event));
  if (ordered.some((event) => event.sender === sender.address)) return undefined;
  const isOwn = transaction.from === sender.address || transaction.to === sender.address;
  if (isOwn && !order.tokenContract && events.length === 0 && (await didCoinsMove(context, receipt))) return undefined;
  const paidBy = ordered[0]?.sender ?? (isSameCall(attempt, transaction) ? transaction.from : undefined);
  return paidBy === undefined ? {} : { paidBy };
}

/** Whether an event is of a payment like the order's, by any account. */
export function isOrdered({ order }: Context, { tokenAddress, amount }: ReceivedPayment): boolean {
  return tokenAddress === getTokenAddress(order) && amount === order.amount;
}

/** Whether in its block exactly the amount arrived, and the payer spent at least as much. */
async function didCoinsMove({ order, rpc, sender }: Context, { block }: Receipt): Promise<boolean> {
  const { network, amount } = order;
  const credited = await readCoinChange(rpc, network.contract, block);
  const change = await readCoinChange(rpc, sender.address, block);
  return credited === amount && change !== undefined && -change >= amount;
}

/** `undefined` if the node does not have that state. */
async function readCoinChange(rpc: Rpc, owner: string, block: number): Promise<bigint | undefined> {
  try {
    const after = await requestQuantity(rpc, "eth_getBalance", [owner, toHex(block)]);
    return after - (await requestQuantity(rpc, "eth_getBalance", [owner, toHex(block - 1)]));
  } catch (error) {
    if (isKeeplightError(error, "RPC_REFUSED")) return undefined;
    throw error;
  }
}
