import { allInOrder } from "../../base/async/queue.ts";
import { unreadableResponse } from "../../base/errors/payment.ts";
import { type ChainTransaction, getBlockTransactions, getNonce, ignoreFailure, requestQuantity } from "./eth-rpc.ts";
import { isNodeError, type Rpc } from "./json-rpc.ts";

/** A transaction, and the number of the block that contains it. */
export type MinedTransaction = ChainTransaction & { block: number };

/** How many blocks are read again: a reorganisation may change them. */
export const MARGIN_BLOCKS = 10;

const PARALLEL_REQUESTS = 5;

/** A search through blocks for a transaction, and its progress. */
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

/** @param fromBlock - the latest block when the transaction was made */
export function createBlockSearch(fromBlock: number, deadline: number): BlockSearch {
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
): Promise<MinedTransaction | undefined> {
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

/** So few blocks are read as fast as the counts of an address are compared. */
const FEW_BLOCKS = 64;

/**
 * Finds the transaction of an address at a nonce that is used. A node that knows how many transactions the address had sent
 * by older blocks shows the block within a request for each halving of the range. What it shows counts only if the block has
 * the transaction: else every block is searched, as by {@link findTransaction}.
 */
export async function findAtNonce(
  rpc: Rpc,
  sender: string,
  search: BlockSearch,
  nonce: number,
): Promise<MinedTransaction | undefined> {
  const counted = await findByCounts(rpc, sender, search, nonce);
  return counted ?? findTransaction(rpc, sender, search, (other) => other.nonce === nonce);
}

/** The transaction at a nonce that is used, by the counts of older blocks; `undefined` proves nothing. */
export async function findByCounts(
  rpc: Rpc,
  sender: string,
  { fromBlock, deadline }: BlockSearch,
  nonce: number,
): Promise<MinedTransaction | undefined> {
  let last = Number(await requestQuantity(rpc, "eth_blockNumber"));
  let before = fromBlock - 1;
  if (last - before <= FEW_BLOCKS) return undefined;
  while (last - before > 1) {
    if (performance.now() >= deadline) return undefined;
    const middle = before + Math.floor((last - before) / 2);
    const count = await getNonce(rpc, sender, middle).catch(ignoreFailure);
    if (count === undefined) return undefined;
    if (count > nonce) last = middle;
    else before = middle;
  }
  const sent = await searchBlock(rpc, last, sender);
  const found = sent?.find((transaction) => transaction.nonce === nonce);
  return found && { ...found, block: last };
}

/** `undefined` if the node has no such block: Filecoin has heights without one. */
async function searchBlock(rpc: Rpc, block: number, sender: string): Promise<ChainTransaction[] | undefined> {
  return getBlockTransactions(rpc, block, sender).catch((error: unknown) => {
    if (!isNodeError(error, "nullRound")) throw error;
    return undefined;
  });
}
