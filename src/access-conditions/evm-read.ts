import type { ChainValue } from "./compare.ts";
import type { CheckedEvmCondition } from "./evm.ts";
import { toContractCall } from "./evm-calls.ts";
import type { RequestRpc, RpcResponse } from "./evm-rpc.ts";
import type { Json } from "./fields.ts";

/** What a condition's read gave. */
export type ChainRead =
  | { value: ChainValue }
  /** There is no such value, so nobody gets in by this condition; why. */
  | { impossible: string }
  /** It could not be found out; why. */
  | { unknown: string };

/** Reads what a condition tests, at the latest block. Its parameters are filled in already. */
export async function readEvm(
  condition: CheckedEvmCondition,
  parameters: readonly Json[],
  url: string,
  ask: RequestRpc,
): Promise<ChainRead> {
  if (condition.standardContractType !== "") return readContract(condition, parameters, url, ask);
  if (condition.method === "getBlockNumber") return quantity(await ask(url, "eth_blockNumber", []));
  const [address] = parameters;
  const { isAddress } = await import("./evm-abi.ts");
  if (!isAddress(address)) return { impossible: `${JSON.stringify(address)} is no EVM address` };
  return quantity(await ask(url, "eth_getBalance", [address, "latest"]));
}

async function readContract(
  condition: Exclude<CheckedEvmCondition, { standardContractType: "" }>,
  parameters: readonly Json[],
  url: string,
  ask: RequestRpc,
): Promise<ChainRead> {
  const { contractAddress: to, method, standardContractType: type } = condition;
  const call = toContractCall(condition);
  if (!call) return { unknown: `${method} is no read of the ${type} standard; a Custom condition can call it` };
  const { decode, encode, isAddress } = await import("./evm-abi.ts");
  if (!isAddress(to)) return { impossible: `${JSON.stringify(to)} is no EVM address` };
  const data = encode(call, parameters);
  if (data === undefined) {
    return { impossible: `${method}(${call.inputs.join(", ")}) cannot be called with ${JSON.stringify(parameters)}` };
  }
  const answer = await ask(url, "eth_call", [{ to, data }, "latest"]);
  if (!("result" in answer)) return unreadable(answer);
  if (answer.result === "0x") return { impossible: `nothing answers ${method} at ${to}` };
  const value = decode(call, answer.result);
  return value === undefined ? { impossible: `${to} does not answer ${method} with ${call.output}` } : { value };
}

function quantity(answer: RpcResponse): ChainRead {
  if (!("result" in answer)) return unreadable(answer);
  return answer.result === "0x" ? { unknown: "the chain answered nothing" } : { value: BigInt(answer.result) };
}

function unreadable(answer: Exclude<RpcResponse, { result: string }>): ChainRead {
  if ("reverted" in answer) return { impossible: `the contract refuses: ${answer.reverted}` };
  return { unknown: `the chain could not be asked: ${answer.failed}` };
}
