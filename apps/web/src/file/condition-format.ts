import type { EvmCondition } from "keeplight";
import { COIN_DECIMALS, type ConditionDraft, chains, comparators, getDecimals } from "./condition-draft.ts";
import { toBaseUnits, toWholeUnits } from "./units.ts";

/** How several conditions are combined. */
export type Join = "and" | "or";

/** Conditions of the form. */
export interface RuleDraft {
  drafts: readonly ConditionDraft[];
  join: Join;
}

/** Converts to the network's format. */
export function toCondition(draft: ConditionDraft): EvmCondition {
  const { id, kind, chain, contract, tokenId, comparator } = draft;
  const typed = draft.value.trim();
  const value = toBaseUnits(typed, getDecimals(draft)) ?? typed;
  const common = { id, chain, returnValueTest: { comparator, value } };
  if (kind === "block") return { ...common, standardContractType: "", method: "getBlockNumber" };
  if (kind === "coin") return { ...common, standardContractType: "", method: "getBalance" };
  const parameters = kind === "ERC1155" ? [":userAddress", tokenId.trim()] : [":userAddress"];
  return { ...common, standardContractType: kind, contractAddress: contract.trim(), method: "balanceOf", parameters };
}

/** Joins all conditions by `and` or by `or`. */
export function toAggregator(drafts: readonly ConditionDraft[], join: Join): string {
  return drafts.length < 2 ? "" : `(${drafts.map(({ id }) => `[${id}]`).join(` ${join} `)})`;
}

/** Converts saved rules to what the form edits; `undefined` for rules that it cannot express. */
export function toRuleDraft(
  conditions: readonly Readonly<Record<string, unknown>>[],
  aggregator: string,
): RuleDraft | undefined {
  const drafts: ConditionDraft[] = [];
  for (const condition of conditions) {
    const draft = toDraft(condition);
    if (!draft) return undefined;
    drafts.push(draft);
  }
  const join: Join = / or /i.test(aggregator) ? "or" : "and";
  const normalize = (text: string) => text.replaceAll(/[\s()]/g, "").toLowerCase();
  const own = [toAggregator(drafts, join), ...(drafts.length === 1 ? [`[${drafts[0]?.id}]`] : [])];
  const isKnown = own.some((text) => normalize(text) === normalize(aggregator));
  return drafts.length > 0 && isKnown ? { drafts, join } : undefined;
}

/** Any client may have saved it, so every field is checked. */
function toDraft(condition: Readonly<Record<string, unknown>>): ConditionDraft | undefined {
  const { id, method, contractAddress } = condition;
  const test = (condition["returnValueTest"] ?? {}) as { comparator?: unknown; value?: unknown };
  const comparator = comparators.find((known) => known === test.comparator);
  const chain = findName(chains, condition["chain"]);
  const value = String(test.value);
  if (!comparator || !chain || !/^\d+$/.test(value) || !Number.isSafeInteger(id)) return undefined;
  const common = { id: Number(id), chain, contract: "", tokenId: "1", comparator, value };
  if (!condition["standardContractType"]) {
    if (method === "getBlockNumber") return { ...common, kind: "block" };
    if (method === "getBalance") return { ...common, kind: "coin", value: toWholeUnits(value, COIN_DECIMALS) };
    return undefined;
  }
  const kind = findName(["ERC721", "ERC20", "ERC1155"], condition["standardContractType"]);
  const parameters = Array.isArray(condition["parameters"]) ? condition["parameters"].map(String) : [];
  const [user, tokenId, ...more] = parameters;
  if (!kind || method !== "balanceOf" || user !== ":userAddress" || more.length > 0) return undefined;
  if ((kind === "ERC1155") !== (tokenId !== undefined)) return undefined;
  const token = { ...common, kind, contract: String(contractAddress), tokenId: tokenId ?? "1" };
  return kind === "ERC20" ? { ...token, isBaseValue: true } : token;
}

function findName<Name extends string>(names: readonly Name[], text: unknown): Name | undefined {
  return names.find((name) => name.toLowerCase() === String(text).toLowerCase());
}
