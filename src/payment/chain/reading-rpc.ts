import type { RpcLimits } from "../../ethereum/json-rpc.ts";
import type { RpcPool } from "../../ethereum/rpc-pool.ts";
import { checkRpc } from "../pay-options.ts";
import { connectToNodes, type Nodes } from "./connect.ts";

/** Connects to the nodes of a network, or to those that the caller names, for calls that pay nothing. */
export function createReadingRpc(rpc: unknown, network: Nodes, limits: RpcLimits): RpcPool {
  return connectToNodes(network, checkRpc(rpc), limits);
}
