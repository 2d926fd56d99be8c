import { isKeeplightError } from "../../base/errors/base.ts";
import type { Rpc } from "../../network/ethereum/json-rpc.ts";
import { isRevert } from "../../network/ethereum/node-errors.ts";
import type { ChainValue } from "./compare.ts";
import type { CheckedEvmCondition } from "./evm.ts";
import { toContractCall } from "./evm-calls.ts";
import type { Json } from "./fields.ts";
import type { Unit } from "./units.ts";

/** 2 ** 256 has 78 digits. */
const MAX_DECIMALS = 77n;

/** The result of a condition's read. */
export type ChainRead = { value: ChainValue } | FailedRead;

type FailedRead =
  /** There is no such value, so the condition grants nobody access; why. */
  | { impossible: string }
  /** The value could not be read; why. */
  | { unknown: string };

/** Reads what a condition tests, at the latest block. Its placeholders are filled in already. */
export async function readEvm(
  condition: CheckedEvmCondition,
  parameters: readonly Json[],
  rpc: Rpc,
): Promise<ChainRead> {
  if (condition.standardContractType !== "") return readContract(condition, parameters, rpc);
  if (condition.method === "getBlockNumber") return readQuantity(rpc, "eth_blockNumber", []);
  const [address] = parameters;
  const { isAddress } = await import("./evm-abi.ts");
  if (!isAddress(address)) return { impossible: `${JSON.stringify(address)} is not an EVM address` };
  return readQuantity(rpc, "eth_getBalance", [address, "latest"]);
}

/** Reads what an ERC20 contract counts in; `undefined` if it does not say. Throws `ABORTED`. */
export async function readTokenUnit(condition: CheckedEvmCondition, rpc: Rpc): Promise<Unit | undefined> {
  if (condition.standardContractType !== "ERC20") return undefined;
  const read = async (method: string): Promise<ChainValue | undefined> => {
    const result = await readContract({ ...condition, method, parameters: [] }, [], rpc);
    return "value" in result ? result.value : undefined;
  };
  const [decimals, symbol] = await Promise.all([read("decimals"), read("symbol")]);
  if (typeof decimals !== "bigint" || decimals > MAX_DECIMALS) return undefined;
  // Anyone can deploy a contract with any text as its symbol.
  // A digit in front would read as part of the amount, and letters written from right to left reorder it.
  const isName = typeof symbol === "string" && /^[A-Za-z$₮][A-Za-z0-9$₮.+-]{0,15}$/.test(symbol);
  return { symbol: isName ? symbol : "tokens", decimals: Number(decimals) };
}

async function readContract(
  condition: Exclude<CheckedEvmCondition, { standardContractType: "" }>,
  parameters: readonly Json[],
  rpc: Rpc,
): Promise<ChainRead> {
  const { contractAddress: to, method, standardContractType: type } = condition;
  const call = toContractCall(condition);
  if (!call) return { unknown: `${method} is not a read of the ${type} standard; a Custom condition can call it` };
  const { decodeOutput, encodeCall, isAddress } = await import("./evm-abi.ts");
  if (!isAddress(to)) return { impossible: `${JSON.stringify(to)} is not an EVM address` };
  const data = encodeCall(call, parameters);
  if (data === undefined) {
    return { impossible: `${method}(${call.inputs.join(", ")}) cannot be called with ${JSON.stringify(parameters)}` };
  }
  const read = await requestHex(rpc, "eth_call", [{ to, data }, "latest"]);
  if (!("hex" in read)) return read;
  if (read.hex === "0x") return { impossible: `there is no ${method} at ${to}` };
  const value = decodeOutput(call, read.hex);
  return value === undefined ? { impossible: `${method} at ${to} does not return ${call.output}` } : { value };
}

async function readQuantity(rpc: Rpc, method: string, params: readonly unknown[]): Promise<ChainRead> {
  const read = await requestHex(rpc, method, params);
  if (!("hex" in read)) return read;
  return read.hex === "0x" ? { unknown: "the chain returned nothing" } : { value: BigInt(read.hex) };
}

/**
 * Requests a hex string. A failed request is a result, so that the other conditions are still read; throws `ABORTED`.
 */
async function requestHex(rpc: Rpc, method: string, params: readonly unknown[]): Promise<{ hex: string } | FailedRead> {
  try {
    const hex = await rpc(method, params);
    if (typeof hex === "string" && /^0x[0-9a-f]*$/i.test(hex)) return { hex };
    return { unknown: `the chain could not be read: the node returned no result` };
  } catch (error) {
    if (!isKeeplightError(error) || error.code === "ABORTED") throw error;
    // Of a node's error, the reason; no response at all has one of the runtime, such as `ECONNREFUSED`.
    const reason = error.code === "NETWORK" ? error.message : String(error.details["reason"] ?? error.message);
    return isRevert(error)
      ? { impossible: `the contract reverted: ${reason}` }
      : { unknown: `the chain could not be read: ${reason}` };
  }
}
