import { allInOrder } from "../../async/all-in-order.ts";
import type { Rpc } from "../../ethereum/json-rpc.ts";
import { isNodeError } from "../../ethereum/node-errors.ts";
import { type ChainTransaction, getBlockTransactions, requestQuantity } from "../chain/eth-rpc.ts";
import type { Attempt } from "../machine.ts";

/** How many blocks a reorganisation may revert. */
const MARGIN_BLOCKS = 10;

/** How many blocks are read at once. */
const PARALLEL_BLOCKS = 5;

/** A search for a transaction, and its progress. */
export interface Search {
  /** The first block that the transaction may be in. */
  readonly firstBlock: number;
  /** The first block that is still to be searched. */
  fromBlock: number;
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
  return { firstBlock, fromBlock: firstBlock, deadline, isComplete: false };
}

/**
 * Finds the first transaction of an address that matches `is`. If there is none, or a call fails, or the time is up, the
 * search resumes later with the blocks that are new or may have changed: polling does not read the same hundreds of
 * blocks again and again.
 *
 * @param sender - lower-case
 * @throws what {@link Rpc} throws: a block that cannot be read may contain the transaction
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
      const found = transactions.find(is);
      if (found) return { ...found, block: search.fromBlock + at, latest };
    }
    search.fromBlock += blocks.length;
  }
  search.fromBlock = Math.max(search.firstBlock, latest + 1 - MARGIN_BLOCKS);
  search.isComplete = true;
  return undefined;
}

function listBlocks(first: number, latest: number): number[] {
  return Array.from({ length: Math.min(PARALLEL_BLOCKS, latest - first + 1) }, (_, at) => first + at);
}

async function searchBlock(rpc: Rpc, block: number, sender: string): Promise<ChainTransaction[]> {
  try {
    return (await getBlockTransactions(rpc, block, sender)) ?? [];
  } catch (error) {
    // Filecoin has heights without a block.
    if (isNodeError(error, "nullRound")) return [];
    throw error;
  }
}
