import { type FunctionFragment, Interface, isAddress } from "ethers";
import { postRpc } from "../http/json.ts";
import { type Condition, compareValues, type FileAccess, type Truth } from "./condition.ts";
import { parseAccess } from "./read-access.ts";

/**
 * Returns whether `address` meets a file's conditions. Unknown results (a chain without an RPC, another chain type, a
 * placeholder without a value) grant no access.
 */
export async function meetsConditions(
  access: FileAccess,
  address: string,
  dynamicData: Readonly<Record<string, unknown>>,
  findRpcUrl: FindRpcUrl,
): Promise<boolean> {
  if (access.chainType !== "EVM") return false;
  const { conditions, rule } = parseAccess(access);
  const placeholders = createPlaceholders(address, dynamicData);
  const truths = await Promise.all(
    conditions.map(async (condition) => [condition.id, await evaluate(condition, findRpcUrl, placeholders)] as const),
  );
  const byId = new Map(truths);
  return rule((id) => byId.get(id)) === true;
}

async function evaluate(condition: Condition, findRpcUrl: FindRpcUrl, placeholders: Placeholders): Promise<Truth> {
  const url = findRpcUrl(condition.chain);
  if (url === undefined) return undefined;
  try {
    return await evaluateEvmCondition(condition, url, placeholders);
  } catch (error) {
    if (error instanceof UnknownPlaceholder) return undefined;
    throw error;
  }
}

/** Returns the JSON-RPC URL of an EVM chain by its name in any case; `undefined` if there is none. */
export type FindRpcUrl = (chain: string) => string | undefined;

/** Chains that are not in `urls` use `fallback`: the devnet's one chain stands in for any other. */
export function createRpcUrlFinder(urls: Readonly<Record<string, string>>, fallback: string | undefined): FindRpcUrl {
  const byName = new Map(Object.entries(urls).map(([chain, url]) => [chain.toLowerCase(), url]));
  return (chain) => byName.get(chain.toLowerCase()) ?? fallback;
}

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
async function evaluateEvmCondition(condition: Condition, url: string, placeholders: Placeholders): Promise<Truth> {
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

function getInterface(condition: Condition): Interface | undefined {
  const { standardContractType, method, inputArrayType = [], outputType = "" } = condition;
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

/** The values of `:name` placeholders in a condition. */
type Placeholders = ReadonlyMap<string, unknown>;

/**
 * Creates the placeholders of a request from the caller's data, whose names may omit the colon. `:userAddress` is always
 * the authenticated address: the caller's data cannot override it.
 */
function createPlaceholders(address: string, dynamicData: Readonly<Record<string, unknown>>): Placeholders {
  const names = new Map(Object.entries(dynamicData).map(([name, value]) => [name.replace(/^:?/, ":"), value]));
  return names.set(":userAddress", address);
}

/**
 * Replaces each `:name` in `value`, at any depth of nested lists.
 *
 * @throws UnknownPlaceholder for a name without a value.
 */
function substitute(value: unknown, placeholders: Placeholders): unknown {
  if (Array.isArray(value)) return value.map((item) => substitute(item, placeholders));
  if (typeof value !== "string" || !/^:\w+$/.test(value)) return value;
  if (!placeholders.has(value)) throw new UnknownPlaceholder();
  return placeholders.get(value);
}

/** A condition requires a value that the caller did not send. */
class UnknownPlaceholder extends Error {}

const TIMEOUT_MS = 5_000;

/** The outcome of a request to an EVM node. */
type RpcReply =
  | { result: string }
  /** The contract reverted the call. */
  | "reverted"
  /** The node is unreachable, or its response is not a JSON-RPC result. */
  | "unreachable";

/** Calls a JSON-RPC 2.0 method of an EVM node, with a timeout of 5 s. */
async function requestEvm(url: string, method: string, params: readonly unknown[]): Promise<RpcReply> {
  try {
    const call = { jsonrpc: "2.0", id: 1, method, params };
    const { result, error }: Record<string, unknown> = await postRpc(url, call, AbortSignal.timeout(TIMEOUT_MS));
    if (typeof result === "string") return { result };
    return isRevert(error) ? "reverted" : "unreachable";
  } catch {
    return "unreachable";
  }
}

/** Nodes use code 3, or at least "revert" in the message. */
function isRevert(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { code, message } = error as { code?: unknown; message?: unknown };
  return code === 3 || (typeof message === "string" && /revert/i.test(message));
}
