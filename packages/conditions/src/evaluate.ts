import { type ChainTypeOption, type Comparator, isKeeplightError, type Json } from "keeplight";
import {
  type CheckedAccess,
  checkAddress,
  checkConditions,
  createHttpRpc,
  invalidOption,
  isRevert,
  type Rpc,
} from "keeplight/parts";
import {
  type ChainValue,
  compare,
  createPlaceholders,
  fillPlaceholders,
  findUnfilledName,
  type Placeholders,
} from "./compare.ts";
import { evaluateRule } from "./evaluate-rule.ts";
import {
  type CheckedEvmCondition,
  describeTarget,
  describeValue,
  explainChecked,
  findUnits,
  formatAmount,
  isTokenBalance,
  type Unit,
  USER_ADDRESS,
} from "./explain.ts";

/** The result of one condition. */
export interface SimulatedCondition {
  /** Of the condition. */
  id: number;
  /** Undefined if unknown. */
  passed: boolean | undefined;
  /** The value on the chain, integers as decimal strings; undefined if it could not be read. */
  value: SimulatedValue | undefined;
  /** The target of the condition, `:name`s filled in. */
  expected: {
    /** How the value on the chain is compared. */
    comparator: Comparator;
    /** What it is compared with. */
    value: Json;
  };
  /** Why it passed or not, or was not evaluated, in plain English. */
  reason: string;
}

/** A value from a chain that JSON can represent: integers are decimal strings. */
export type SimulatedValue = string | boolean | readonly SimulatedValue[];

/** The result of {@link simulateConditions}. */
export interface Simulation {
  /** Whether the address would be granted access; undefined if that depends on conditions with an unknown result. */
  allowed: boolean | undefined;
  /** One per condition, in the same order. */
  conditions: [SimulatedCondition, ...SimulatedCondition[]];
  /** The result in plain English, one line per condition. */
  explanation: string;
}

/** How the chains are read. */
interface Reading {
  signal: AbortSignal | undefined;
  timeoutMs: number;
  chainType: ChainTypeOption | undefined;
  /** One URL, or one for each chain by its name in lower case. */
  rpc: string | Readonly<Record<string, string>>;
  dynamicData: Readonly<Record<string, Json>> | undefined;
}

/** Implements `simulateConditions`, which loads this module when it is called. */
export async function evaluateConditions(
  conditions: unknown,
  aggregator: unknown,
  address: string,
  { chainType, rpc, dynamicData = {}, ...limits }: Reading,
): Promise<Simulation> {
  const checked = checkConditions(conditions, aggregator, chainType);
  const requester = checkAddress(address);
  const chains = new Set(checked.conditions.map(({ chain }) => chain.toLowerCase()));
  if (typeof rpc === "string" && checked.chainType === "EVM" && chains.size > 1) {
    throw invalidOption("rpc", "an object with one URL per chain, as the conditions name more than one");
  }
  const context: Context = {
    getRpc(chain) {
      const url = typeof rpc === "string" ? rpc : rpc[chain.toLowerCase()];
      return url === undefined ? undefined : createHttpRpc(url, limits);
    },
    placeholders: createPlaceholders(requester, dynamicData),
    units: findUnits(checked),
  };
  const evaluate = async (condition: CheckedAccess["conditions"][number]): Promise<SimulatedCondition> => {
    const { comparator, value } = condition.returnValueTest;
    const expected = { comparator, value: fillPlaceholders(value, context.placeholders) };
    const outcome =
      checked.chainType === "EVM"
        ? await evaluateEvm(condition as CheckedEvmCondition, expected, context)
        : { reason: `conditions of chain type ${checked.chainType} are not evaluated here` };
    return { id: condition.id, passed: undefined, value: undefined, expected, ...outcome };
  };
  const results = await Promise.all(checked.conditions.map(evaluate));
  const byId = new Map(results.map((result) => [result.id, result]));
  const allowed = evaluateRule(checked.rule, (id) => byId.get(id)?.passed);
  const note = (id: number): string => toNote(byId.get(id));
  return {
    allowed,
    conditions: results as Simulation["conditions"],
    explanation: `${describeVerdict(requester, allowed)}\n${explainChecked(checked, requester, context.units, note)}`,
  };
}

interface Context {
  getRpc: (chain: string) => Rpc | undefined;
  placeholders: Placeholders;
  /** What conditions count in, by their ids; of a token, as its contract says. */
  units: Map<number, Unit>;
}

type Outcome = Pick<SimulatedCondition, "reason"> & Partial<Pick<SimulatedCondition, "passed" | "value">>;

/** A value could not be read, or, if its condition is known not to pass, there is no such value. */
type FailedRead = { reason: string; passed?: false };

type ChainRead = { value: ChainValue } | FailedRead;

function impossible(reason: string): FailedRead {
  return { reason, passed: false };
}

async function evaluateEvm(
  condition: CheckedEvmCondition,
  { comparator, value: target }: SimulatedCondition["expected"],
  { getRpc, placeholders, units }: Context,
): Promise<Outcome> {
  const { id, chain } = condition;
  const { parameters: own = [], standardContractType } = condition;
  // A native read without an address is about the requester.
  const unfilled = own.length === 0 && standardContractType === "" ? [USER_ADDRESS] : own;
  const parameters = unfilled.map((value) => fillPlaceholders(value, placeholders));
  const missing = findUnfilledName([...parameters, target]);
  if (missing !== undefined) return { reason: `dynamicData has no value for ${missing}` };
  const rpc = getRpc(chain);
  if (rpc === undefined) return { reason: `rpc has no URL for ${chain}` };
  const read = await readEvm(condition, parameters, rpc);
  if (!("value" in read)) return read;
  const value = toSimulatedValue(read.value);
  const passed = compare(read.value, comparator, target);
  const unit = (isTokenBalance(condition) && (await readTokenUnit(condition, rpc))) || units.get(id);
  if (unit) units.set(id, unit);
  // Both in the same unit: a target in hex, for example, is in base units.
  const amount = formatAmount(target, unit) === undefined ? undefined : formatAmount(value as Json, unit);
  const actual = amount ?? describeValue(value as Json, "");
  const expected = describeTarget(comparator, target, "", unit);
  if (passed === undefined) return { reason: `it is unknown whether ${actual} is ${expected}`, value };
  return { reason: `${actual} is ${passed ? "" : "not "}${expected}`, passed, value };
}

function toSimulatedValue(value: ChainValue): SimulatedValue {
  if (typeof value === "bigint") return value.toString();
  return typeof value === "object" ? value.map(toSimulatedValue) : value;
}

function describeVerdict(address: string, allowed: boolean | undefined): string {
  if (allowed === undefined) return `It is unknown whether ${address} would be granted access.`;
  return `${address} would ${allowed ? "" : "not "}be granted access.`;
}

function toNote(result: SimulatedCondition | undefined): string {
  if (!result) return "";
  const state = result.passed === undefined ? "not evaluated" : result.passed ? "met" : "not met";
  return ` (${state}: ${result.reason})`;
}

/** 2 ** 256 has 78 digits. */
const MAX_DECIMALS = 77n;

/** Reads what a condition tests, at the latest block. Its placeholders are filled in already. */
async function readEvm(condition: CheckedEvmCondition, parameters: readonly Json[], rpc: Rpc): Promise<ChainRead> {
  if (condition.standardContractType !== "") return readContract(condition, parameters, rpc);
  if (condition.method === "getBlockNumber") return readQuantity(rpc, "eth_blockNumber", []);
  const [address] = parameters;
  const { isAddress } = await import("./evm-abi.ts");
  if (!isAddress(address)) return impossible(`${JSON.stringify(address)} is not an EVM address`);
  return readQuantity(rpc, "eth_getBalance", [address, "latest"]);
}

/** Reads what an ERC20 contract counts in; `undefined` if it does not say. Throws `ABORTED`. */
async function readTokenUnit(condition: CheckedEvmCondition, rpc: Rpc): Promise<Unit | undefined> {
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
  const { decodeOutput, encodeCall, isAddress, toContractCall } = await import("./evm-abi.ts");
  const call = toContractCall(condition);
  if (!call) return { reason: `${method} is not a read of the ${type} standard; a Custom condition can call it` };
  if (!isAddress(to)) return impossible(`${JSON.stringify(to)} is not an EVM address`);
  const data = encodeCall(call, parameters);
  if (data === undefined) {
    return impossible(`${method}(${call.inputs.join(", ")}) cannot be called with ${JSON.stringify(parameters)}`);
  }
  const read = await requestHex(rpc, "eth_call", [{ to, data }, "latest"]);
  if (!("hex" in read)) return read;
  if (read.hex === "0x") return impossible(`there is no ${method} at ${to}`);
  const value = decodeOutput(call, read.hex);
  return value === undefined ? impossible(`${method} at ${to} does not return ${call.output}`) : { value };
}

async function readQuantity(rpc: Rpc, method: string, params: readonly unknown[]): Promise<ChainRead> {
  const read = await requestHex(rpc, method, params);
  if (!("hex" in read)) return read;
  return read.hex === "0x" ? { reason: "the chain returned nothing" } : { value: BigInt(read.hex) };
}

/**
 * Requests a hex string. A failed request is a result, so that the other conditions are still read; throws `ABORTED`.
 */
async function requestHex(rpc: Rpc, method: string, params: readonly unknown[]): Promise<{ hex: string } | FailedRead> {
  try {
    const hex = await rpc(method, params);
    if (typeof hex === "string" && /^0x[0-9a-f]*$/i.test(hex)) return { hex };
    return { reason: `the chain could not be read: the node returned no result` };
  } catch (error) {
    if (!isKeeplightError(error) || error.code === "ABORTED") throw error;
    // Of a node's error, the reason; no response at all has one of the runtime, such as `ECONNREFUSED`.
    const reason = error.code === "NETWORK" ? error.message : String(error.details["reason"] ?? error.message);
    return isRevert(error)
      ? impossible(`the contract reverted: ${reason}`)
      : { reason: `the chain could not be read: ${reason}` };
  }
}
