import { isKeeplightError } from "../../errors/base.ts";
import type { Rpc } from "../../ethereum/json-rpc.ts";
import { type ChainTransaction, getBlockTransactions, requestQuantity } from "../chain/eth-rpc.ts";
import type { Attempt } from "../machine.ts";

/** How many blocks a reorganisation may revert. */
const MARGIN_BLOCKS = 10;

/** A search for a transaction, with the first block that is still to be searched. */
export interface Search {
  fromBlock: number;
}

/** A mined transaction, its block, and the latest block when it was found. */
export interface FoundTransaction extends ChainTransaction {
  block: number;
  latest: number;
}

/** Creates a search over all blocks that the transaction may be in. */
export function createSearch({ fromBlock }: Pick<Attempt, "fromBlock">): Search {
  return { fromBlock: Math.max(0, fromBlock - MARGIN_BLOCKS) };
}

/**
 * Finds the first transaction of an address that matches `is`. If there is none, the search resumes later with the
 * blocks that are new or may have changed, so that polling does not read the same hundreds of blocks again and again.
 *
 * @param sender - lower-case
 */
export async function findTransaction(
  rpc: Rpc,
  sender: string,
  search: Search,
  is: (transaction: ChainTransaction) => boolean,
): Promise<FoundTransaction | undefined> {
  const latest = Number(await requestQuantity(rpc, "eth_blockNumber"));
  for (let block = search.fromBlock; block <= latest; block++) {
    const found = (await searchBlock(rpc, block, sender)).find(is);
    if (found) return { ...found, block, latest };
  }
  search.fromBlock = Math.max(search.fromBlock, latest - MARGIN_BLOCKS);
  return undefined;
}

async function searchBlock(rpc: Rpc, block: number, sender: string): Promise<ChainTransaction[]> {
  try {
    return (await getBlockTransactions(rpc, block, sender)) ?? [];
  } catch (error) {
    // Some chains have heights without a block and refuse the request for them.
    if (isKeeplightError(error) && error.code === "RPC_REFUSED") return [];
    throw error;
  }
}
