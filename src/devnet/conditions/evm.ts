import { type FunctionFragment, Interface, isAddress } from "ethers";
import { meets } from "./compare.ts";
import type { Condition } from "./condition.ts";
import { askEvm } from "./evm-rpc.ts";
import { type Placeholders, substitute } from "./placeholders.ts";
import type { Truth } from "./rule.ts";

/** The reads of the token standards (EIP-20, EIP-721, EIP-1155). */
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
 * Whether a condition on an EVM chain holds at the latest block. A contract that is not there, that refuses
 * or that cannot be called this way makes it false; a chain that cannot be asked leaves it open.
 *
 * @param url JSON-RPC of the chain.
 * @throws UnknownName for a parameter that nobody gave.
 */
export async function evmHolds(condition: Condition, url: string, placeholders: Placeholders): Promise<Truth> {
  const { parameters: given = [], standardContractType, returnValueTest } = condition;
  const ofNobody = standardContractType === "" && given.length === 0;
  const parameters = (ofNobody ? [":userAddress"] : given).map((value) => substitute(value, placeholders));
  const wanted = substitute(returnValueTest.value, placeholders);
  const read = standardContractType === "" ? readChain : readContract;
  const answer = await read(condition, parameters, url);
  if (answer === "open") return undefined;
  return answer === "none" ? false : meets(answer.value, returnValueTest.comparator, wanted);
}

/** A value, none that could ever be, or an open question. */
type Read = { value: unknown } | "none" | "open";

async function readChain({ method }: Condition, [account]: readonly unknown[], url: string): Promise<Read> {
  const ofAccount = method === "getBalance";
  if (ofAccount && !isAddress(account)) return "none";
  const reply = await (ofAccount
    ? askEvm(url, "eth_getBalance", [account, "latest"])
    : askEvm(url, "eth_blockNumber", []));
  if (typeof reply === "string" || !/^0x[0-9a-f]+$/i.test(reply.result)) return "open";
  return { value: BigInt(reply.result) };
}

async function readContract(condition: Condition, parameters: readonly unknown[], url: string): Promise<Read> {
  const { contractAddress: to, method } = condition;
  const abi = interfaceOf(condition);
  const call = abi?.getFunction(method);
  // what a standard does not have may mean anything
  if (!abi || !call) return "open";
  const data = encode(abi, call, parameters);
  if (data === undefined || !isAddress(to)) return "none";
  const reply = await askEvm(url, "eth_call", [{ to, data }, "latest"]);
  if (reply === "silent") return "open";
  if (reply === "reverted") return "none";
  try {
    return { value: plain(abi.decodeFunctionResult(call, reply.result)[0]) };
  } catch {
    return "none";
  }
}

function interfaceOf({
  standardContractType,
  method,
  inputArrayType = [],
  outputType = "",
}: Condition): Interface | undefined {
  if (standardContractType !== "custom") return standards[standardContractType];
  if (!/^[a-z_$][\w$]*$/i.test(method)) return undefined;
  return new Interface([`function ${method}(${inputArrayType.join(",")}) view returns (${outputType})`]);
}

function encode(abi: Interface, call: FunctionFragment, parameters: readonly unknown[]): string | undefined {
  try {
    const values = parameters.map((value, index) =>
      call.inputs[index]?.type.startsWith("bool") ? truth(value) : value,
    );
    return abi.encodeFunctionData(call, values);
  } catch {
    return undefined;
  }
}

/** The text `false` would count as true. */
function truth(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(truth);
  return value === "false" ? false : value;
}

/** Lists that are lists and nothing more. */
function plain(value: unknown): unknown {
  return Array.isArray(value) ? Array.from(value, plain) : value;
}
