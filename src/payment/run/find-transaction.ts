import { allInOrder } from "../../base/async/queue.ts";
import { orderUncertain, otherOrder, paymentTimeout, unreadableResponse } from "../../base/errors/payment.ts";
import {
  type ChainTransaction,
  getBlockTransactions,
  getReceipt,
  requestQuantity,
} from "../../network/ethereum/eth-rpc.ts";
import { isNodeError, type Rpc } from "../../network/ethereum/json-rpc.ts";
import { isTooMuch, type MinedLog, requestPaymentLogs } from "../chain/contracts.ts";
import type { Attempt } from "../machine.ts";
import { readTransaction } from "../receipts/receipt.ts";
import type { Context, EventSearch } from "./context.ts";
import { readMark } from "./match.ts";

/** How many blocks are read again: a reorganisation may change them. */
export const MARGIN_BLOCKS = 10;

const PARALLEL_REQUESTS = 5;

/** A search through the blocks since an attempt, and its progress. */
export interface BlockSearch {
  /** The first block that the transaction may be in. */
  readonly firstBlock: number;
  /** The first block that is still to be searched. */
  fromBlock: number;
  /** When to stop, by `performance.now()`. */
  readonly deadline: number;
  /** Whether it has reached the latest block. */
  isComplete: boolean;
}

export function createSearch({ fromBlock }: Pick<Attempt, "fromBlock">, deadline: number): BlockSearch {
  const firstBlock = Math.max(0, fromBlock - MARGIN_BLOCKS);
  return { firstBlock, fromBlock: firstBlock, deadline, isComplete: false };
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
  search: BlockSearch,
  is: (transaction: ChainTransaction) => boolean,
): Promise<(ChainTransaction & { block: number }) | undefined> {
  search.isComplete = false;
  const latest = Number(await requestQuantity(rpc, "eth_blockNumber"));
  while (search.fromBlock <= latest) {
    if (performance.now() >= search.deadline) return undefined;
    const count = Math.min(PARALLEL_REQUESTS, latest - search.fromBlock + 1);
    const blocks = Array.from({ length: count }, (_, at) => search.fromBlock + at);
    const contents = await allInOrder(blocks.map((block) => searchBlock(rpc, block, sender)));
    for (const [at, transactions] of contents.entries()) {
      const found = transactions?.find(is);
      if (found) return { ...found, block: search.fromBlock + at };
    }
    // A height is without a block only if a later one has one.
    const read = contents.findLastIndex((transactions) => transactions !== undefined) + 1;
    if (read === 0) throw unreadableResponse("eth_getBlockByNumber");
    search.fromBlock += read;
  }
  search.fromBlock = Math.max(search.firstBlock, latest + 1 - MARGIN_BLOCKS);
  search.isComplete = true;
  return undefined;
}

/** `undefined` if the node has no such block: Filecoin has heights without one. */
async function searchBlock(rpc: Rpc, block: number, sender: string): Promise<ChainTransaction[] | undefined> {
  return getBlockTransactions(rpc, block, sender).catch((error: unknown) => {
    if (!isNodeError(error, "nullRound")) throw error;
    return undefined;
  });
}

/** By which transaction an attempt is made: the payer's own, or one of another account that contains its call. */
export interface Located {
  hash: string;
  /** Absent if another account sent it. */
  nonce?: number | undefined;
  /** Number of its block, if it is mined. */
  block?: number | undefined;
}

/** How many blocks of logs are requested at once; fewer from a node that refuses. */
const MAX_LOG_BLOCKS = 10_000;

/** A node that refuses this many blocks refuses for another reason. */
const MIN_LOG_BLOCKS = 100;

export function createEventSearch(block: number): EventSearch {
  const firstBlock = Math.max(0, block);
  return { firstBlock, fromBlock: firstBlock, window: MAX_LOG_BLOCKS };
}

/**
 * Lists the contract's events of the payer in the blocks that were not searched yet, up to the one that is the latest by
 * the time the node looks, oldest first.
 *
 * @param latest - the latest block, as far as it is known
 * @param deadline - when to stop, by `performance.now()`
 * @throws `PAYMENT_TIMEOUT`; what {@link Rpc} throws, `RPC_REFUSED` if the node does not search logs: what is not
 * searched is not empty
 */
export async function listPayerEvents(
  context: Context,
  search: EventSearch,
  latest: number,
  deadline: number = Number.POSITIVE_INFINITY,
): Promise<MinedLog[]> {
  const { order, rpc, sender, waiting } = context;
  const { contract } = order.network;
  const found: MinedLog[] = [];
  for (let isLast = false; !isLast; ) {
    if (performance.now() >= deadline) throw paymentTimeout({ step: "pay" }, waiting.waitMs);
    const { fromBlock, window } = search;
    isLast = fromBlock + window > latest;
    const toBlock = isLast ? "latest" : fromBlock + window - 1;
    try {
      found.push(...(await requestPaymentLogs(rpc, contract, sender.address, { fromBlock, toBlock })));
      search.fromBlock = fromBlock + window;
    } catch (error) {
      const blocks = Math.min(window, latest - fromBlock + 1);
      if (!isTooMuch(error) || blocks <= MIN_LOG_BLOCKS) throw error;
      search.window = Math.ceil(blocks / 2);
      isLast = false;
    }
  }
  search.fromBlock = Math.max(search.firstBlock, latest + 1 - MARGIN_BLOCKS);
  return found;
}

/**
 * Finds the payments of the order among events of the payer, by the order's mark: however they were sent, their
 * transactions contain it.
 *
 * @throws `INVALID_OPTION` if a payment in another token or amount has the mark; `ORDER_UNCERTAIN` if a transaction does not
 * show which of its calls paid; what {@link Rpc} throws
 */
export async function findMarked(context: Context, logs: readonly MinedLog[]): Promise<Located[]> {
  const { order, rpc, sender } = context;
  const { mark } = order;
  const hashes = [...new Set(logs.map(({ hash }) => hash))];
  const found: Located[] = [];
  for (let at = 0; mark !== undefined && at < hashes.length; at += PARALLEL_REQUESTS) {
    const some = hashes.slice(at, at + PARALLEL_REQUESTS);
    for (const transaction of await allInOrder(some.map((hash) => readTransaction(rpc, hash)))) {
      if (!transaction.data.toLowerCase().includes(mark)) continue;
      const hash = transaction.hash.toLowerCase();
      const receipt = await getReceipt(rpc, hash);
      if (!receipt) continue;
      const { block } = receipt;
      const shown = readMark(context, transaction, receipt);
      if (shown === "another payment") throw otherOrder();
      if (shown === "one of several") throw orderUncertain(null, [hash]);
      if (shown === "its payment")
        found.push(transaction.from === sender.address ? { hash, block, nonce: transaction.nonce } : { hash, block });
    }
  }
  return found;
}
