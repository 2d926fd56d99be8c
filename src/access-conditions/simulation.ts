import type { CallOptions } from "../options.ts";
import type { ChainTypeOption } from "./chain-types.ts";
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
