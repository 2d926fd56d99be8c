import { forwardTo, type RpcCall } from "../rpc-proxy.ts";

/** How a node that is behind responds to a call. */
export type Lag = (call: RpcCall, upstream: string) => Promise<unknown>;

const toHex = (quantity: number) => `0x${Math.max(0, quantity).toString(16)}`;
const lower =
  (name: string, by: number): Lag =>
  async ({ method, forward }) => {
    const result = await forward();
    return method === name ? toHex(Number(result) - by) : result;
  };

/** Shows the state of some blocks ago in every response. */
const behind =
  (blocks: number): Lag =>
  async ({ method, params, forward }, upstream) => {
    if (method.startsWith("eth_send")) return forward();
    const head = Number(await forwardTo(upstream, "eth_blockNumber", [])) - blocks;
    if (method === "eth_blockNumber") return toHex(head);
    if (method === "eth_getLogs") {
      const logs = (await forward()) as { blockNumber: string }[];
      return logs.filter(({ blockNumber }) => Number(blockNumber) <= head);
    }
    if (/ByHash|Receipt/.test(method)) {
      const found = (await forward()) as { blockNumber: string | null } | null;
      return found?.blockNumber && Number(found.blockNumber) <= head ? found : null;
    }
    const old = params.map((param) => (param === "latest" || param === "pending" ? toHex(head) : param));
    return forwardTo(upstream, method, old);
  };

export const lags: readonly [string, Lag][] = [
  ["counts one transaction less", lower("eth_getTransactionCount", 1)],
  ["counts two transactions less", lower("eth_getTransactionCount", 2)],
  ["is two blocks behind by number", lower("eth_blockNumber", 2)],
  ["is two blocks behind in all it shows", behind(2)],
  [
    "shows no pending transactions",
    ({ method, params, forward }, upstream) =>
      method === "eth_getTransactionCount"
        ? forwardTo(upstream, method, [params[0], "latest"])
        : forward().then((found) =>
            method === "eth_getTransactionByHash" && !(found as { blockNumber?: string } | null)?.blockNumber
              ? null
              : found,
          ),
  ],
];
