import type { EvmCondition } from "keeplight";

/**
 * Replaces rules that are removed: key nodes keep at least one condition. No block has a number below 0, so nobody meets
 * it, and the file opens only for its owner and those it is shared with.
 */
export const closedRule: EvmCondition = {
  id: 1,
  chain: "Ethereum",
  standardContractType: "",
  method: "getBlockNumber",
  returnValueTest: { comparator: "<", value: "0" },
};

/** Whether saved conditions are those of removed rules. */
export function isClosedRule(conditions: readonly Record<string, unknown>[]): boolean {
  const [first, ...others] = conditions as unknown as EvmCondition[];
  const { comparator, value } = first?.returnValueTest ?? {};
  const isOwn = others.length === 0 && !first?.standardContractType;
  return isOwn && first?.method === "getBlockNumber" && comparator === "<" && String(value) === "0";
}
