import { forwardTo, NodeError, Reply, type RpcCall } from "./rpc-proxy.ts";

/** A fault of a node: which calls it concerns, and the response to them. */
interface NodeFault {
  concerns(call: RpcCall): boolean;
  respond(call: RpcCall, upstream: string): Promise<unknown>;
  /** Whether it is there until the node is healed; others pass after a few calls. */
  lasts?: boolean;
}

const always = () => true;
const isSend = ({ method }: RpcCall) => /^eth_send/.test(method);
const only =
  (...methods: string[]) =>
  ({ method }: RpcCall) =>
    methods.includes(method);
const hasOldTag = ({ method, params }: RpcCall) =>
  (method === "eth_call" || method === "eth_getBalance") && /^0x/.test(String(params[1]));
const refuse = (code: number, message: string, data?: string) => async () => {
  throw new NodeError(code, message, data);
};
const refuseWithStatus = (status: number) => async () => {
  throw new Reply({ error: { code: -32_000, message: "try again later" } }, status);
};
const lower = (by: bigint) => async (call: RpcCall) => {
  const quantity = BigInt(String(await call.forward()));
  return `0x${(quantity > by ? quantity - by : 0n).toString(16)}`;
};
const respondNull = async () => null;

/** Faults of a node besides those that end it. */
export const nodeFaults: Readonly<Record<string, NodeFault>> = {
  "limit exceeded": { concerns: always, respond: refuse(-32_005, "limit exceeded") },
  "too many requests": { concerns: always, respond: refuseWithStatus(429) },
  unavailable: { concerns: always, respond: refuseWithStatus(503) },
  "internal error": { concerns: always, respond: refuse(-32_603, "internal error") },
  "null results": { concerns: (call) => !isSend(call), respond: respondNull },
  "stale nonce": { concerns: only("eth_getTransactionCount"), respond: lower(1n) },
  "stale head": { concerns: only("eth_blockNumber"), respond: lower(2n) },
  "late receipts": { concerns: only("eth_getTransactionReceipt"), respond: respondNull },
  "unknown transactions": { concerns: only("eth_getTransactionByHash"), respond: respondNull },
  "foreign receipt": {
    concerns: only("eth_getTransactionReceipt"),
    async respond(call) {
      const receipt = (await call.forward()) as object | null;
      return receipt && { ...receipt, transactionHash: `0x${"ab".repeat(32)}` };
    },
  },
  "foreign id": {
    concerns: always,
    async respond(call) {
      throw new Reply({ id: 7, result: await call.forward() });
    },
  },
  "null error": {
    concerns: always,
    async respond(call) {
      throw new Reply({ result: await call.forward(), error: null });
    },
    lasts: true,
  },
  "unusual revert data": {
    concerns: only("eth_estimateGas", "eth_call"),
    respond: refuse(3, "execution reverted", "0x08c379a0"),
  },
  "logs refused": { concerns: only("eth_getLogs"), respond: refuse(-32_601, "not supported"), lasts: true },
  "old state refused": { concerns: hasOldTag, respond: refuse(-32_000, "missing trie node"), lasts: true },
  "latest state only": {
    concerns: hasOldTag,
    respond: ({ method, params }, upstream) => forwardTo(upstream, method, [params[0], "latest"]),
    lasts: true,
  },
  "no tip": { concerns: only("eth_maxPriorityFeePerGas"), respond: refuse(-32_601, "not supported"), lasts: true },
};
