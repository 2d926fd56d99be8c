import { createHttpRpc, type Rpc, type RpcLimits } from "../../network/ethereum/json-rpc.ts";
import { createRpcPool, type RpcPool } from "../../network/ethereum/rpc-pool.ts";
import type { ResolvedNetwork } from "./network.ts";

/** Which nodes of a chain there are. */
export type Nodes = Pick<ResolvedNetwork, "rpc" | "moreRpcs" | "chainId">;

/**
 * Connects to these nodes instead of the network's, if there are any.
 *
 * @throws `INVALID_OPTION` for an invalid URL
 */
export function connectToNodes(network: Nodes, urls: readonly string[] | undefined, limits: RpcLimits): RpcPool {
  const { rpc, moreRpcs = [], chainId } = network;
  const nodes = (urls ?? [rpc, ...moreRpcs]).map((url) => createHttpRpc(url, limits, false));
  return createRpcPool(nodes, chainId, limits.signal);
}

/** Connects through a wallet, which may switch to another chain at any time. */
export function connectThroughWallet(wallet: Rpc, { signal }: RpcLimits): RpcPool {
  return createRpcPool([wallet], undefined, signal);
}
