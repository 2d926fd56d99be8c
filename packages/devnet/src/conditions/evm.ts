import { type FunctionFragment, Interface, isAddress } from "ethers";
import { compareValues } from "./compare.ts";
import type { Condition } from "./condition.ts";
import { requestEvm } from "./evm-rpc.ts";
import { type Placeholders, substitute } from "./placeholders.ts";
import type { Truth } from "./rule.ts";

/** The read functions of the token standards (EIP-20, EIP-721, EIP-1155). */
const standards: Readonly<Record<string, Interface>> = {
  erc20: new Interface([
    "function balanceOf(address) view returns (uint256)",
    "function allowance(address, address) view returns (uint256)",
    "function totalSupply() view returns (uint256)",
    "function decimals() view returns (uint8)",
    "function name() view returns (string)",
    "function symbol() view returns (string)",
  ]),
  erc721: new Interface([
    "function balanceOf(address) view returns (uint256)",
    "function ownerOf(uint256) view returns (address)",
    "function getApproved(uint256) view returns (address)",
    "function isApprovedForAll(address, address) view returns (bool)",
    "function tokenURI(uint256) view returns (string)",
    "function name() view returns (string)",
    "function symbol() view returns (string)",
    "function supportsInterface(bytes4) view returns (bool)",
  ]),
  erc1155: new Interface([
    "function balanceOf(address, uint256) view returns (uint256)",
    "function balanceOfBatch(address[], uint256[]) view returns (uint256[])",
    "function isApprovedForAll(address, address) view returns (bool)",
    "function uri(uint256) view returns (string)",
    "function supportsInterface(bytes4) view returns (bool)",
  ]),
};

/**
 * Evaluates a condition on an EVM chain at the latest block. It is false if the contract is missing, reverts or cannot be
 * called this way, and unknown if the chain is unreachable.
 *
 * @param url JSON-RPC of the chain.
 * @throws UnknownPlaceholder for a placeholder that the caller sent no value for.
 */
export async function evaluateEvmCondition(
  condition: Condition,
  url: string,
  placeholders: Placeholders,
): Promise<Truth> {
  const { parameters: declared = [], standardContractType, returnValueTest } = condition;
  const isOfCaller = standardContractType === "" && declared.length === 0;
  const parameters = (isOfCaller ? [":userAddress"] : declared).map((value) => substitute(value, placeholders));
  const expected = substitute(returnValueTest.value, placeholders);
  const read = standardContractType === "" ? readChain : readContract;
  const result = await read(condition, parameters, url);
  if (result === "unknown") return undefined;
  return result === "none" ? false : compareValues(result.value, returnValueTest.comparator, expected);
}

/** The value read, `none` if there cannot be one, or `unknown`. */
type Read = { value: unknown } | "none" | "unknown";

async function readChain({ method }: Condition, [account]: readonly unknown[], url: string): Promise<Read> {
  const isBalance = method === "getBalance";
  if (isBalance && !isAddress(account)) return "none";
  const reply = await (isBalance
    ? requestEvm(url, "eth_getBalance", [account, "latest"])
    : requestEvm(url, "eth_blockNumber", []));
  if (typeof reply === "string" || !/^0x[0-9a-f]+$/i.test(reply.result)) return "unknown";
  return { value: BigInt(reply.result) };
}

async function readContract(condition: Condition, parameters: readonly unknown[], url: string): Promise<Read> {
  const { contractAddress: to, method } = condition;
  const abi = getInterface(condition);
  const call = abi?.getFunction(method);
  // the result of a method outside the standard has no known type
  if (!abi || !call) return "unknown";
  const data = encodeCall(abi, call, parameters);
  if (data === undefined || !isAddress(to)) return "none";
  const reply = await requestEvm(url, "eth_call", [{ to, data }, "latest"]);
  if (reply === "unreachable") return "unknown";
  if (reply === "reverted") return "none";
  try {
    return { value: toPlain(abi.decodeFunctionResult(call, reply.result)[0]) };
  } catch {
    return "none";
  }
}

function getInterface({
  standardContractType,
  method,
  inputArrayType = [],
  outputType = "",
}: Condition): Interface | undefined {
  if (standardContractType !== "custom") return standards[standardContractType];
  if (!/^[a-z_$][\w$]*$/i.test(method)) return undefined;
  return new Interface([`function ${method}(${inputArrayType.join(",")}) view returns (${outputType})`]);
}

function encodeCall(abi: Interface, call: FunctionFragment, parameters: readonly unknown[]): string | undefined {
  try {
    const values = parameters.map((value, index) =>
      call.inputs[index]?.type.startsWith("bool") ? toBoolean(value) : value,
    );
    return abi.encodeFunctionData(call, values);
  } catch {
    return undefined;
  }
}

/** Converts the string `false`, which the encoder would treat as true. */
function toBoolean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toBoolean);
  return value === "false" ? false : value;
}

/** Converts result lists, which have named properties too, to plain arrays. */
function toPlain(value: unknown): unknown {
  return Array.isArray(value) ? Array.from(value, toPlain) : value;
}
