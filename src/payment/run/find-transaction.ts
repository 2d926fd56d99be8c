import { allInOrder } from "../../base/async/queue.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { paymentTimeout, unreadableResponse } from "../../base/errors/payment.ts";
import { isNodeError, type Rpc } from "../../network/ethereum/json-rpc.ts";
import { findPaymentEvents, type MinedLog, requestPaymentLogs } from "../chain/contracts.ts";
import {
  type ChainTransaction,
  getBlockTransactions,
  getTransaction,
  type Receipt,
  requestQuantity,
  toHex,
} from "../chain/eth-rpc.ts";
import type { Attempt } from "../machine.ts";
import type { ReceivedPayment } from "../types.ts";
import { type Context, getTokenAddress, isOthers, toFacts } from "./context.ts";

/** How many blocks a reorganisation may revert. */
const MARGIN_BLOCKS = 10;

/** How many blocks are read at once. */
const PARALLEL_BLOCKS = 5;

/** How many blocks of logs are requested at once; fewer from a node that refuses. */
const MAX_LOG_BLOCKS = 10_000;

/** A search for a transaction, and its progress. */
export interface Search {
  /** The first block that the transaction may be in. */
  readonly firstBlock: number;
  /** The first block that is still to be searched. */
  fromBlock: number;
  /** The first block whose logs are still to be searched. */
  logsFromBlock: number;
  /** How many blocks of logs the node may be requested at once. */
  logBlocks: number;
  /** When to stop, by `performance.now()`. */
  readonly deadline: number;
  /** Whether it has reached the latest block. */
  isComplete: boolean;
}

/** A mined transaction, its block, and the latest block when it was found. */
export interface FoundTransaction extends ChainTransaction {
  block: number;
  latest: number;
}

/** Creates a search over all blocks that the transaction may be in. */
export function createSearch({ fromBlock }: Pick<Attempt, "fromBlock">, deadline: number): Search {
  const firstBlock = Math.max(0, fromBlock - MARGIN_BLOCKS);
  const progress = { fromBlock: firstBlock, logsFromBlock: firstBlock, logBlocks: MAX_LOG_BLOCKS };
  return { firstBlock, ...progress, deadline, isComplete: false };
}

/**
 * Finds the first transaction of an address that matches `is`. If there is none, or a call fails, or the time is up, the
 * search resumes later with the blocks that are new or may have changed: polling does not read the same hundreds of
 * blocks again and again.
 *
 * @param sender - lower-case
 * @throws what {@link Rpc} throws: a block that cannot be read may contain the transaction; `INVALID_RESPONSE` if the
 * node does not have the latest blocks
 */
export async function findTransaction(
  rpc: Rpc,
  sender: string,
  search: Search,
  is: (transaction: ChainTransaction) => boolean,
): Promise<FoundTransaction | undefined> {
  search.isComplete = false;
  const latest = Number(await requestQuantity(rpc, "eth_blockNumber"));
  while (search.fromBlock <= latest) {
    if (performance.now() >= search.deadline) return undefined;
    const blocks = listBlocks(search.fromBlock, latest);
    const contents = await allInOrder(blocks.map((block) => searchBlock(rpc, block, sender)));
    for (const [at, transactions] of contents.entries()) {
      const found = transactions?.find(is);
      if (found) return { ...found, block: search.fromBlock + at, latest };
    }
    // A height is without a block only if a later one has one.
    const read = contents.findLastIndex((transactions) => transactions !== undefined) + 1;
    if (read === 0) throw unreadableResponse("eth_getBlockByNumber");
    search.fromBlock += read;
  }
  search.fromBlock = getStartOfMargin(search, latest);
  search.isComplete = true;
  return undefined;
}

/** The first block that a later search reads again. */
function getStartOfMargin({ firstBlock }: Search, latest: number): number {
  return Math.max(firstBlock, latest + 1 - MARGIN_BLOCKS);
}

function listBlocks(first: number, latest: number): number[] {
  return Array.from({ length: Math.min(PARALLEL_BLOCKS, latest - first + 1) }, (_, at) => first + at);
}

/** `undefined` if the node has no such block: Filecoin has heights without one. */
async function searchBlock(rpc: Rpc, block: number, sender: string): Promise<ChainTransaction[] | undefined> {
  try {
    return await getBlockTransactions(rpc, block, sender);
  } catch (error) {
    if (isNodeError(error, "nullRound")) return undefined;
    throw error;
  }
}

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
function isOrdered({ order }: Context, { tokenAddress, amount }: ReceivedPayment): boolean {
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
