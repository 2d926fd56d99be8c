import { copyInput } from "../base/copy-input.ts";
import { checkOptions } from "../validation/check-options.ts";
import type { ChainTypeOption, ConditionOf } from "./chain-types.ts";
import type { SimulateOptions, Simulation } from "./simulation.ts";

const simulateNames = "signal,timeoutMs,rpc,dynamicData,chainType";

/**
 * Evaluates EVM conditions against a chain for an address, before a file is protected by them: would the address be
 * granted access, and if not, why?
 *
 * `:userAddress` in parameters and in the target value is the address; a native balance without an address is the
 * address's own. A read that reverts, or that finds no contract, does not pass. `passed` is undefined if the result is
 * unknown: no URL for the chain, no connection, a `:name` without a value, values that cannot be compared, conditions
 * that are not EVM. The explanation is in whole coins and tokens, with the decimals and symbols of their contracts; values
 * are in base units. Reads are at the latest block. Loads `ethers` when called.
 *
 * @throws `INVALID_CONDITION`, `INVALID_ADDRESS`, `INVALID_OPTION`, `ABORTED`
 *
 * @example
 * const { allowed, explanation } = await simulateConditions(conditions, "([1] or [2])", address, {
 *   rpc: { Polygon: "https://polygon-rpc.com", Base: "https://mainnet.base.org" },
 * });
 */
export async function simulateConditions<Chain extends ChainTypeOption = "EVM">(
  conditions: readonly ConditionOf<Chain>[],
  aggregator: string | null | undefined,
  address: string,
  options: SimulateOptions<Chain>,
): Promise<Simulation> {
  options = checkOptions(options, simulateNames);
  conditions = copyInput(conditions, "conditions");
  const { evaluateConditions } = await import("./evaluate.ts");
  return evaluateConditions(conditions, aggregator, address, options);
}
