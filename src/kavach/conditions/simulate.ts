import { checkOptions } from "../../input/check-options.ts";
import type { CallOptions } from "../../options.ts";
import type { ChainTypeOption, ConditionOf } from "./chain-types.ts";
import type { Comparator, Json } from "./fields.ts";

/** Options of {@link simulateConditions}. */
export type SimulateOptions<Chain extends ChainTypeOption> = Pick<CallOptions, "signal" | "timeoutMs"> & {
  /** JSON-RPC URL of the chain, or one for each chain by its name in the conditions, in any case. */
  rpc: string | Readonly<Record<string, string>>;
  /** Values of the other `:name`s in parameters, by name. Default none. */
  dynamicData?: Readonly<Record<string, Json>> | undefined;
  /** Which kind of chain the conditions are about; only `EVM` ones are evaluated. Default `EVM`. */
  chainType?: Chain;
};

const simulateNames = "signal,timeoutMs,rpc,dynamicData,chainType";

/** How one condition turned out. */
export interface SimulatedCondition {
  /** Of the condition. */
  id: number;
  /** Undefined if it could not be found out. */
  passed: boolean | undefined;
  /** What the chain answered, integers as decimal text; undefined if nothing. */
  value: SimulatedValue | undefined;
  /** What the condition asks for, `:name`s filled in. */
  expected: { comparator: Comparator; value: Json };
  /** Why it passed or not, or was not evaluated, in plain English. */
  reason: string;
}

/** A value from a chain that JSON can carry: an integer is its decimal text. */
export type SimulatedValue = string | boolean | readonly SimulatedValue[];

/** What {@link simulateConditions} found out. */
export interface Simulation {
  /** Whether the address would get in; undefined if that hangs on conditions that could not be evaluated. */
  allowed: boolean | undefined;
  /** One for each condition, in their order. */
  conditions: SimulatedCondition[];
  /** All of it as text, one line for each condition. */
  explanation: string;
}

/**
 * Evaluates EVM conditions against a chain for an address, before anything is locked by them: who would
 * get in, and why not.
 *
 * `:userAddress` in parameters and in the value asked for is the address; a native balance that names no
 * address is the address's own. A read that the contract refuses, or that finds no contract, does not pass.
 * What could not be found out (no URL for the chain, no connection, a `:name` without a value, values that
 * do not compare, conditions that are not EVM) leaves `passed` undefined. Reads are at the latest block.
 * Loads `ethers` when called.
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
  checkOptions(options, simulateNames);
  const { evaluateConditions } = await import("./evaluate.ts");
  return evaluateConditions(conditions, aggregator, address, options);
}
