import { deriveSignal } from "../../base/async/abort.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { nodesDisagree } from "../../base/errors/payment.ts";
import { connectToNodes, type Nodes } from "../../network/ethereum/eth-rpc.ts";
import type { Rpc, RpcLimits } from "../../network/ethereum/json-rpc.ts";
import type { PaymentReceipt } from "./receipt.ts";

/** What a node says of a payment: its receipt, or why there is none. */
type Opinion = PromiseSettledResult<PaymentReceipt>;

/**
 * Reads a receipt from the first node that works. If there are three or more, requests the first three at once, and believes
 * the receipt, or the code of an error, that two of them agree on.
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
  const connected = nodes.slice(0, 3).map((url) => connectToNodes(network, [url], { ...limits, signal }));
  const readings = connected.map(read);
  const pairs = readings.flatMap((one, at) => readings.slice(at + 1).map((other) => agree(one, other)));
  try {
    const agreed = await Promise.any(pairs).catch(async () => {
      throw nodesDisagree((await Promise.allSettled(readings)).map((it) => ("value" in it ? "paid" : describe(it))));
    });
    if ("value" in agreed) return agreed.value;
    throw agreed.reason;
  } finally {
    end();
  }
}

/** Returns what both say, with the fewer confirmations; rejects if they disagree. */
async function agree(...pair: [Promise<PaymentReceipt>, Promise<PaymentReceipt>]): Promise<Opinion> {
  const [one, other] = await Promise.allSettled(pair);
  if (describe(one) !== describe(other)) throw new Error("they disagree");
  return "value" in one && "value" in other && other.value.confirmations < one.value.confirmations ? other : one;
}

/** Equal for opinions that agree. */
function describe(opinion: Opinion): string {
  if ("value" in opinion) return JSON.stringify({ ...opinion.value, confirmations: 0 });
  return isKeeplightError(opinion.reason) ? opinion.reason.code : String(opinion.reason);
}
