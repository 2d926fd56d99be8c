import { unchecked } from "../../base/checks.ts";
import { type OptionSchema, resolveOptions } from "../../base/operation.ts";
import type { ChainTypeOption, ConditionOf } from "./chain-types.ts";
import { checkConditions } from "./check-conditions.ts";
import { explainChecked } from "./explain-checked.ts";

/** Options of {@link explainConditions}. */
export interface ExplainOptions<Chain extends ChainTypeOption> {
  /** The chain type of the conditions. @default `EVM` */
  chainType?: Chain;
}

const schema = { chainType: unchecked<ChainTypeOption>() } satisfies OptionSchema<ExplainOptions<ChainTypeOption>>;

/**
 * Explains in plain English who is granted access by these conditions. One condition yields a sentence; several yield a
 * list, one line for each with its id, indented as the aggregator groups them. Native balances are in whole coins, as in
 * 1.5 ETH; those of tokens in base units, as only their contracts know more: `simulateConditions` reads them. Sends nothing.
 *
 * @throws `INVALID_CONDITION`
 *
 * @example
 * explainConditions(conditions, "([1] and [2])");
 * // Access is granted if all of these hold:
 * // - [1] the number of ERC721 tokens of 0x1a… on Polygon that the requester owns is at least 1
 * // - [2] the latest block number of Polygon is greater than 50000000
 */
export function explainConditions<Chain extends ChainTypeOption = "EVM">(
  conditions: readonly ConditionOf<Chain>[],
  aggregator?: string | null,
  options: ExplainOptions<Chain> = {},
): string {
  const { chainType } = resolveOptions(schema, options);
  return explainChecked(checkConditions(conditions, aggregator, chainType), "the requester");
}
