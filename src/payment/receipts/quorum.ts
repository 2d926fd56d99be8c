import { deriveSignal } from "../../base/async/abort.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { nodesDisagree } from "../../base/errors/payment.ts";
import type { Rpc, RpcLimits } from "../../network/ethereum/json-rpc.ts";
import { connectToNodes, type Nodes } from "../chain/eth-rpc.ts";
import type { PaymentReceipt } from "./receipt.ts";

/** What a node says. Those that say the same agree. */
type Opinion =
  | { says: string; receipt: PaymentReceipt; error?: never }
  | { says: string; receipt?: never; error: unknown };

/**
 * Reads a receipt from the first node that works. If there are three or more, requests the first three at once, and believes
 * the receipt, or else the code of an error, that two of them agree on.
 *
 * @throws `INVALID_RESPONSE` if no two agree; what `read` throws
 */
export async function readFromNodes(
  network: Nodes,
  urls: readonly string[] | undefined,
  limits: RpcLimits,
  read: (node: Rpc) => Promise<PaymentReceipt>,
): Promise<PaymentReceipt> {
  const nodes = [...new Set(urls ?? [network.rpc, ...(network.moreRpcs ?? [])])];
  if (nodes.length < 3) return connectToNodes(network, nodes, limits).onOneNode(read);
  const { signal, end } = deriveSignal(limits.signal);
  const opinions = nodes.slice(0, 3).map(async (url): Promise<Opinion> => {
    try {
      const receipt = await read(connectToNodes(network, [url], { ...limits, signal }));
      return { receipt, says: JSON.stringify({ ...receipt, confirmations: 0 }) };
    } catch (error) {
      return { error, says: isKeeplightError(error) ? error.code : String(error) };
    }
  });
  const pairs = opinions.flatMap((one, at) => opinions.slice(at + 1).map((other) => agree(one, other)));
  try {
    const { receipt, error } = await Promise.any(pairs).catch(async () => {
      throw nodesDisagree((await Promise.all(opinions)).map(({ receipt, says }) => (receipt ? "paid" : says)));
    });
    if (receipt) return receipt;
    throw error;
  } finally {
    end();
  }
}

/** Returns what both say, with the fewer confirmations; rejects if they disagree. */
async function agree(...pair: [Promise<Opinion>, Promise<Opinion>]): Promise<Opinion> {
  const [one, other] = await Promise.all(pair);
  if (one.says !== other.says) throw one;
  return (one.receipt?.confirmations ?? 0) < (other.receipt?.confirmations ?? 0) ? one : other;
}
