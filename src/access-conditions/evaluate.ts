import { invalidOption } from "../errors/input.ts";
import { resolveCall } from "../options.ts";
import { checkAddress } from "../validation/address.ts";
import { ruleHolds } from "./aggregator.ts";
import type { ChainTypeOption, CheckedConditions, ConditionOf } from "./chain-types.ts";
import { checkConditions } from "./check-conditions.ts";
import { type ChainValue, compare } from "./compare.ts";
import { describeTarget, describeValue, USER_ADDRESS } from "./describe.ts";
import type { CheckedEvmCondition } from "./evm.ts";
import { readEvm } from "./evm-read.ts";
import { createRpcRequest, type RequestRpc } from "./evm-rpc.ts";
import { explainChecked } from "./explain-checked.ts";
import { fillIn, openName, type Placeholders, placeholdersFor } from "./placeholders.ts";
import type { SimulatedCondition, SimulatedValue, SimulateOptions, Simulation } from "./simulation.ts";

/** What `simulateConditions` does; loaded when it is called. */
export async function evaluateConditions<Chain extends ChainTypeOption>(
  conditions: readonly ConditionOf<Chain>[],
  aggregator: string | null | undefined,
  address: string,
  options: SimulateOptions<Chain>,
): Promise<Simulation> {
  const { chainType, rpc, dynamicData = {}, signal, timeoutMs } = options ?? {};
  const checked = checkConditions(conditions, aggregator, chainType);
  const asker = checkAddress(address);
  const urlOf = checkRpc(rpc);
  const ask = createRpcRequest(resolveCall({ signal, timeoutMs }));
  const placeholders = placeholdersFor(asker, dynamicData);

  const results = await Promise.all(outcomes(checked, { urlOf, ask, placeholders }));
  const byId = new Map(results.map((result) => [result.id, result]));
  const allowed = ruleHolds(checked.rule, (id) => byId.get(id)?.passed);
  const note = (id: number): string => toNote(byId.get(id));
  return {
    allowed,
    conditions: results,
    explanation: `${verdict(asker, allowed)}\n${explainChecked(checked, asker, note)}`,
  };
}

interface Surroundings {
  urlOf: (chain: string) => string | undefined;
  ask: RequestRpc;
  placeholders: Placeholders;
}

function outcomes(
  checked: CheckedConditions,
  around: Surroundings,
): (SimulatedCondition | Promise<SimulatedCondition>)[] {
  if (checked.chainType === "EVM") return checked.conditions.map((condition) => simulate(condition, around));
  const reason = `conditions of chain type ${checked.chainType} are not evaluated here`;
  return checked.conditions.map(({ id, returnValueTest: { comparator, value } }) => ({
    id,
    passed: undefined,
    value: undefined,
    expected: { comparator, value: fillIn(value, around.placeholders) },
    reason,
  }));
}

async function simulate(condition: CheckedEvmCondition, around: Surroundings): Promise<SimulatedCondition> {
  const { id, chain, returnValueTest } = condition;
  const { comparator } = returnValueTest;
  const target = fillIn(returnValueTest.value, around.placeholders);
  const result = (passed: boolean | undefined, reason: string, value?: SimulatedValue): SimulatedCondition => ({
    id,
    passed,
    value,
    expected: { comparator, value: target },
    reason,
  });

  const given = condition.parameters ?? [];
  const asksForNobody = given.length === 0 && condition.standardContractType === "";
  const parameters = (asksForNobody ? [USER_ADDRESS] : given).map((value) => fillIn(value, around.placeholders));
  const open = openName([...parameters, target]);
  if (open !== undefined) return result(undefined, `dynamicData has no value for ${open}`);
  const url = around.urlOf(chain);
  if (url === undefined) return result(undefined, `rpc has no URL for ${chain}`);
  const read = await readEvm(condition, parameters, url, around.ask);
  if ("unknown" in read) return result(undefined, read.unknown);
  if ("impossible" in read) return result(false, read.impossible);
  const value = plain(read.value);
  const passed = compare(read.value, comparator, target);
  const what = describeValue(value, "");
  const wanted = describeTarget(comparator, target, "");
  if (passed === undefined) return result(undefined, `whether ${what} is ${wanted} cannot be told`, value);
  return result(passed, `${what} is ${passed ? "" : "not "}${wanted}`, value);
}

function plain(value: ChainValue): SimulatedValue {
  if (typeof value === "bigint") return value.toString();
  return typeof value === "object" ? value.map(plain) : value;
}

/** Finds the URL for a chain; throws `INVALID_OPTION`. */
function checkRpc(rpc: unknown): (chain: string) => string | undefined {
  const expected = "an http or https URL, or an object of such URLs by the names of chains";
  const isUrl = (url: unknown): url is string => typeof url === "string" && /^https?:\/\//.test(url);
  if (isUrl(rpc)) return () => rpc;
  if (typeof rpc !== "object" || rpc === null) throw invalidOption("rpc", expected);
  const urls = new Map<string, string>();
  for (const [chain, url] of Object.entries(rpc)) {
    if (!isUrl(url)) throw invalidOption("rpc", expected);
    urls.set(chain.toLowerCase(), url);
  }
  return (chain) => urls.get(chain.toLowerCase());
}

function verdict(address: string, allowed: boolean | undefined): string {
  if (allowed === undefined) return `It cannot be told whether ${address} would get in.`;
  return `${address} would ${allowed ? "" : "not "}get in.`;
}

function toNote(result: SimulatedCondition | undefined): string {
  if (!result) return "";
  const state = result.passed === undefined ? "not evaluated" : result.passed ? "met" : "not met";
  return ` (${state}: ${result.reason})`;
}
