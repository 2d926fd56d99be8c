import { checkAddress } from "../../base/validation/address.ts";
import { createHttpRpc, type Rpc, type RpcLimits } from "../../network/ethereum/json-rpc.ts";
import { evaluateRule } from "./aggregator.ts";
import type { ChainTypeOption, CheckedConditions } from "./chain-types.ts";
import { checkConditions } from "./check-conditions.ts";
import { type ChainValue, compare } from "./compare.ts";
import { describeTarget, describeValue, USER_ADDRESS } from "./describe.ts";
import type { CheckedEvmCondition } from "./evm.ts";
import { readEvm, readTokenUnit } from "./evm-read.ts";
import { explainChecked } from "./explain-checked.ts";
import type { Comparator, Json } from "./fields.ts";
import { createPlaceholders, fillPlaceholders, findUnfilledName, type Placeholders } from "./placeholders.ts";
import { findUnits, formatAmount, isTokenBalance, type Unit } from "./units.ts";

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
interface Reading extends RpcLimits {
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
  const getRpc = (chain: string): Rpc | undefined => {
    const url = typeof rpc === "string" ? rpc : rpc[chain.toLowerCase()];
    return url === undefined ? undefined : createHttpRpc(url, limits);
  };
  const placeholders = createPlaceholders(requester, dynamicData);

  const units = findUnits(checked);

  const results = await Promise.all(evaluateAll(checked, { getRpc, placeholders, units }));
  const byId = new Map(results.map((result) => [result.id, result]));
  const allowed = evaluateRule(checked.rule, (id) => byId.get(id)?.passed);
  const note = (id: number): string => toNote(byId.get(id));
  return {
    allowed,
    conditions: results as Simulation["conditions"],
    explanation: `${describeVerdict(requester, allowed)}\n${explainChecked(checked, requester, { note, units })}`,
  };
}

interface Context {
  getRpc: (chain: string) => Rpc | undefined;
  placeholders: Placeholders;
  /** What conditions count in, by their ids; of a token, as its contract says. */
  units: Map<number, Unit>;
}

function evaluateAll(
  checked: CheckedConditions,
  context: Context,
): (SimulatedCondition | Promise<SimulatedCondition>)[] {
  if (checked.chainType === "EVM") return checked.conditions.map((condition) => evaluateEvm(condition, context));
  const reason = `conditions of chain type ${checked.chainType} are not evaluated here`;
  return checked.conditions.map(({ id, returnValueTest: { comparator, value } }) => ({
    id,
    passed: undefined,
    value: undefined,
    expected: { comparator, value: fillPlaceholders(value, context.placeholders) },
    reason,
  }));
}

async function evaluateEvm(
  condition: CheckedEvmCondition,
  { getRpc, placeholders, units }: Context,
): Promise<SimulatedCondition> {
  const { id, chain, returnValueTest } = condition;
  const { comparator } = returnValueTest;
  const target = fillPlaceholders(returnValueTest.value, placeholders);
  const result = (passed: boolean | undefined, reason: string, value?: SimulatedValue): SimulatedCondition => ({
    id,
    passed,
    value,
    expected: { comparator, value: target },
    reason,
  });

  const { parameters: own = [], standardContractType } = condition;
  // A native read without an address is about the requester.
  const unfilled = own.length === 0 && standardContractType === "" ? [USER_ADDRESS] : own;
  const parameters = unfilled.map((value) => fillPlaceholders(value, placeholders));
  const missing = findUnfilledName([...parameters, target]);
  if (missing !== undefined) return result(undefined, `dynamicData has no value for ${missing}`);
  const rpc = getRpc(chain);
  if (rpc === undefined) return result(undefined, `rpc has no URL for ${chain}`);
  const read = await readEvm(condition, parameters, rpc);
  if ("unknown" in read) return result(undefined, read.unknown);
  if ("impossible" in read) return result(false, read.impossible);
  const value = toSimulatedValue(read.value);
  const passed = compare(read.value, comparator, target);
  const unit = (isTokenBalance(condition) && (await readTokenUnit(condition, rpc))) || units.get(id);
  if (unit) units.set(id, unit);
  // Both in the same unit: a target in hex, for example, is in base units.
  const amount = formatAmount(target, unit) === undefined ? undefined : formatAmount(value as Json, unit);
  const actual = amount ?? describeValue(value as Json, "");
  const expected = describeTarget(comparator, target, "", unit);
  if (passed === undefined) return result(undefined, `it is unknown whether ${actual} is ${expected}`, value);
  return result(passed, `${actual} is ${passed ? "" : "not "}${expected}`, value);
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
