import { allInOrder } from "../../base/async/all-in-order.ts";
import { unreadableResponse } from "../../base/errors/payment.ts";
import type { Rpc } from "../../network/ethereum/json-rpc.ts";
import { isNodeError } from "../../network/ethereum/node-errors.ts";
import { type ChainTransaction, getBlockTransactions, requestQuantity } from "../chain/eth-rpc.ts";
import type { Attempt } from "../machine.ts";

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
export function getStartOfMargin({ firstBlock }: Search, latest: number): number {
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
