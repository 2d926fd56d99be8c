import { isKeeplightError } from "../../errors/base.ts";
import { ask, type ChainTransaction, getBlockTransactions } from "../chain/eth-rpc.ts";
import type { Rpc } from "../chain/rpc.ts";
import type { SentTransaction } from "./context.ts";

/** How many blocks a chain that is reorganised may take back. */
const MARGIN_BLOCKS = 10;

/** The blocks that a search has yet to look into. */
export interface Search {
  fromBlock: number;
}

/** A search for a transaction in all blocks that it may be in. */
export function searchSince({ fromBlock }: Pick<SentTransaction, "fromBlock">): Search {
  return { fromBlock: Math.max(0, fromBlock - MARGIN_BLOCKS) };
}

/**
 * The first transaction of an address for which `is` holds. Where there is none, the same search goes on later with the
 * blocks that are new or may have changed: a payment that is waited for would read the same hundreds time after time.
 *
 * @param sender - lower-case
 */
export async function findTransaction(
  rpc: Rpc,
  sender: string,
  search: Search,
  is: (transaction: ChainTransaction) => boolean,
): Promise<ChainTransaction | undefined> {
  const latest = Number(await ask(rpc, "eth_blockNumber"));
  for (let block = search.fromBlock; block <= latest; block++) {
    const found = (await searchBlock(rpc, block, sender)).find(is);
    if (found) return found;
  }
  search.fromBlock = Math.max(search.fromBlock, latest - MARGIN_BLOCKS);
  return undefined;
}

async function searchBlock(rpc: Rpc, block: number, sender: string): Promise<ChainTransaction[]> {
  try {
    return (await getBlockTransactions(rpc, block, sender)) ?? [];
  } catch (error) {
    // Some chains have heights without a block, and say so with a refusal.
    if (isKeeplightError(error) && error.code === "RPC_REFUSED") return [];
    throw error;
  }
}
