import { getTokenAddress } from "../../base/config/resolve-network.ts";
import { ignore } from "../../base/errors/base.ts";
import {
  type ChainTransaction,
  getReceipt,
  type Receipt,
  readFinalBlock,
  requestQuantity,
  requireTransaction,
  toHex,
} from "../../network/ethereum/eth-rpc.ts";
import type { Rpc } from "../../network/ethereum/json-rpc.ts";
import { findPaymentEvents } from "../chain/contracts.ts";
import type { Attempt, Outcome } from "../machine.ts";
import { keepMarked } from "../receipts/receipt.ts";
import type { Order, ReceivedPayment } from "../types.ts";
import type { Context } from "./context.ts";

/** Whether an event is of a payment like the order's, by any account. */
export function isOrdered({ tokenContract, amount }: Order, event: ReceivedPayment): boolean {
  return event.tokenAddress === getTokenAddress(tokenContract) && event.amount === amount;
}

/** Whether the payer itself sent what the attempt was to send. */
export function isDirect({ sender }: Pick<Context, "sender">, attempt: Attempt, sent: ChainTransaction): boolean {
  return sent.from === sender.address && isSameCall(attempt, sent);
}

function isSameCall({ to, data, value }: Attempt, sent: ChainTransaction): boolean {
  return sent.to === to.toLowerCase() && sent.data === data && sent.value === BigInt(value);
}

/** What a transaction shows of the order by its mark. */
export function readMark(
  { order, sender }: Pick<Context, "order" | "sender">,
  transaction: ChainTransaction,
  receipt: Receipt,
): "its payment" | "another payment" | "one of several" | "nothing" {
  const { mark, network } = order;
  if (mark === undefined || !receipt.succeeded) return "nothing";
  const contract = network.contract.toLowerCase();
  // The amount of the event is that of the call, even if the token keeps part of it.
  const paid = findPaymentEvents(receipt.logs, contract).map(({ event }) => {
    return { event, contract, tokenAddress: event.tokenAddress, amount: String(event.amount) };
  });
  const isOwn = ({ event }: (typeof paid)[number]) => event.sender === sender.address;
  const marked = keepMarked(paid, transaction, mark).filter(isOwn);
  if (marked.some(({ event }) => isOrdered(order, event))) return "its payment";
  if (marked.length > 0) return "another payment";
  return paid.filter(isOwn).some(({ event }) => isOrdered(order, event)) ? "one of several" : "nothing";
}

/** Why a transaction is not the one that an attempt was to make. */
export interface Mismatch {
  /** Address of the account that made the payment instead of the payer. */
  paidBy?: string | undefined;
}

/**
 * Compares a mined transaction that a wallet reported with the attempt. Smart accounts pay within the transaction of
 * another account: then the order's mark and the contract's event show the payment, or, as contracts need not emit one
 * for the chain's own coin, what the balances of payer and contract changed by.
 *
 * @throws `INVALID_RESPONSE` if the node has the receipt and not the transaction; what {@link Rpc} throws
 */
export async function findMismatch(
  context: Context,
  attempt: Attempt,
  receipt: Receipt,
): Promise<Mismatch | undefined> {
  const { order, rpc, sender } = context;
  const transaction = await requireTransaction(rpc, receipt.hash);
  // A reorganisation may move a transaction to an earlier block, or give it an earlier nonce, but hardly both; what is
  // marked is of no other time.
  const isOwnNonce = transaction.from === sender.address && transaction.nonce >= attempt.nextNonce;
  if (!isOwnNonce && receipt.block <= attempt.fromBlock && order.mark === undefined) return {};
  if (isDirect(context, attempt, transaction)) return undefined;
  // A reverted transaction of another account may be sent again.
  if (!receipt.succeeded) return {};
  if (attempt.step !== "pay") return undefined;
  const events = findPaymentEvents(receipt.logs, order.network.contract).map(({ event }) => event);
  const ordered = events.filter((event) => isOrdered(order, event));
  const isMarked = order.mark === undefined || readMark(context, transaction, receipt) === "its payment";
  if (isMarked && ordered.some((event) => event.sender === sender.address)) return undefined;
  const isOwn = transaction.from === sender.address || transaction.to === sender.address;
  if (isOwn && !order.tokenContract && events.length === 0 && (await didCoinsMove(context, receipt))) return undefined;
  const other = ordered.find((event) => event.sender !== sender.address);
  const paidBy = other?.sender ?? (isSameCall(attempt, transaction) ? transaction.from : undefined);
  return paidBy === undefined ? {} : { paidBy };
}

/** Whether in its block exactly the amount arrived, and the payer spent at least as much. */
async function didCoinsMove({ order, rpc, sender }: Context, { block }: Receipt): Promise<boolean> {
  const { network, amount } = order;
  // The node may not have that state.
  const credited = await readCoinChange(rpc, network.contract, block).catch(ignore("RPC_REFUSED"));
  const change = await readCoinChange(rpc, sender.address, block).catch(ignore("RPC_REFUSED"));
  return credited === amount && change !== undefined && -change >= amount;
}

async function readCoinChange(rpc: Rpc, owner: string, block: number): Promise<bigint> {
  const after = await requestQuantity(rpc, "eth_getBalance", [owner, toHex(block)]);
  return after - (await requestQuantity(rpc, "eth_getBalance", [owner, toHex(block - 1)]));
}

/** How the chain shows that an attempt ended. */
export interface Seen {
  outcome: Outcome;
  /** How many blocks confirm that, the first included. */
  confirmations: number;
  /** Whether the node calls the block final; `undefined` if it does not say. */
  isFinal?: boolean | undefined;
  /** Of a mined transaction. */
  receipt?: Receipt | undefined;
  /** Hash of the transaction that used the nonce. */
  by?: string | undefined;
}

type SeenObservation = { kind: "seen"; seen: Seen };

/** A single confirmation of a success requires no further request. */
export async function toSeen(
  context: Context,
  receipt: Receipt,
  outcome: Outcome = receipt.succeeded ? "succeeded" : "reverted",
): Promise<SeenObservation> {
  const { rpc, waiting } = context;
  if (outcome === "succeeded" && waiting.confirmations === 1)
    return { kind: "seen", seen: { outcome, confirmations: 1, receipt } };
  const seen = await countConfirmations(context, receipt.block, outcome);
  // A reorganisation may have moved the transaction after its block was read, and before the latest one was.
  const again = await getReceipt(rpc, receipt.hash);
  const isSettled = again?.block === receipt.block && again.succeeded === receipt.succeeded;
  return { kind: "seen", seen: { ...seen, confirmations: isSettled ? seen.confirmations : 1, receipt } };
}

export async function toDisplaced(context: Context, by: string | undefined, block: number): Promise<SeenObservation> {
  return { kind: "seen", seen: { ...(await countConfirmations(context, block, "displaced")), by } };
}

async function countConfirmations({ rpc }: Context, block: number, outcome: Outcome): Promise<Seen> {
  const latest = Number(await requestQuantity(rpc, "eth_blockNumber"));
  const final = outcome === "succeeded" ? undefined : await readFinalBlock(rpc);
  const isFinal = final === undefined ? undefined : block <= final;
  return { outcome, confirmations: Math.max(1, latest - block + 1), isFinal };
}
