import { createHttpRpc, type Rpc, type RpcLimits } from "../../ethereum/json-rpc.ts";
import { checkRpc } from "../pay-options.ts";

/** Connects to the node of a network, or the one that the caller names, for calls that pay nothing. */
export function createReadingRpc(rpc: unknown, networkRpc: string, limits: RpcLimits): Rpc {
  return createHttpRpc(checkRpc(rpc) ?? networkRpc, limits);
}
