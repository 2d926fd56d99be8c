import { deriveSignal } from "../../base/async/abort.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { nodesDisagree } from "../../base/errors/payment.ts";
import { connectToNodes, type Nodes } from "./eth-rpc.ts";
import type { Rpc, RpcLimits } from "./json-rpc.ts";

/** How what nodes say is compared. */
export interface Comparison<Value> {
  /** What a node that has a value says, in a word. */
  word: string;
  /** Equal for values that agree. */
  describe(value: Value): string;
  /** Chooses one of two values that agree. */
  choose(one: Value, other: Value): Value;
}

/**
 * Reads a value from the first node that works. If there are three or more, requests the first three at once, and believes
 * the value, or the code of an error, that two of them agree on.
 *
 * @param urls - of the nodes to use instead of the network's
 * @throws `INVALID_RESPONSE` if no two agree; what `read` throws
 */
export async function readFromNodes<Value>(
  network: Nodes,
  urls: readonly string[] | undefined,
  limits: RpcLimits,
  read: (node: Rpc) => Promise<Value>,
  comparison: Comparison<Value>,
): Promise<Value> {
  const nodes = [...new Set(urls ?? [network.rpc, ...(network.moreRpcs ?? [])])];
  if (nodes.length < 3) return connectToNodes(network, nodes, limits).onOneNode(read);
  const { signal, end } = deriveSignal(limits.signal);
  const connected = nodes.slice(0, 3).map((url) => connectToNodes(network, [url], { ...limits, signal }));
  const readings = connected.map(read);
  const pairs = readings.flatMap((one, at) => readings.slice(at + 1).map((other) => agree(one, other, comparison)));
  try {
    const agreed = await Promise.any(pairs).catch(async () => {
      const opinions = await Promise.allSettled(readings);
      throw nodesDisagree(opinions.map((it) => ("value" in it ? comparison.word : describeError(it.reason))));
    });
    if ("value" in agreed) return agreed.value;
    throw agreed.reason;
  } finally {
    end();
  }
}

/** Returns what both say; rejects if they disagree. */
async function agree<Value>(
  first: Promise<Value>,
  second: Promise<Value>,
  { describe, choose }: Comparison<Value>,
): Promise<PromiseSettledResult<Value>> {
  const [one, other] = await Promise.allSettled([first, second]);
  if ("value" in one && "value" in other && describe(one.value) === describe(other.value))
    return { status: "fulfilled", value: choose(one.value, other.value) };
  if ("reason" in one && "reason" in other && describeError(one.reason) === describeError(other.reason)) return one;
  throw new Error("they disagree");
}

function describeError(error: unknown): string {
  return isKeeplightError(error) ? error.code : String(error);
}
