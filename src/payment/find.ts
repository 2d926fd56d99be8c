import { isKeeplightError } from "../errors/base.ts";
import { ask, type ChainTransaction, transactionsIn } from "./chain.ts";
import type { SentTransaction } from "./context.ts";
import type { Rpc } from "./rpc.ts";

/** How many blocks before a transaction was made it may be in, the chain having been reorganised since. */
const MARGIN_BLOCKS = 10;

/**
 * The first transaction of an address for which `is` holds, in the blocks since `made` was made.
 *
 * @param sender - lower-case
 */
export async function findTransaction(
  rpc: Rpc,
  sender: string,
  made: Pick<SentTransaction, "fromBlock">,
  is: (transaction: ChainTransaction) => boolean,
): Promise<ChainTransaction | undefined> {
  const latest = Number(await ask(rpc, "eth_blockNumber"));
  for (let block = Math.max(0, made.fromBlock - MARGIN_BLOCKS); block <= latest; block++) {
    const found = (await transactionsOfBlock(rpc, block, sender)).find(is);
    if (found) return found;
  }
  return undefined;
}

async function transactionsOfBlock(rpc: Rpc, block: number, sender: string): Promise<ChainTransaction[]> {
  try {
    return (await transactionsIn(rpc, block, sender)) ?? [];
  } catch (error) {
    // Some chains have heights without a block, and say so with a refusal.
    if (isKeeplightError(error) && error.code === "RPC_REFUSED") return [];
    throw error;
  }
}
