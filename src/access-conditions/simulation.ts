import type { CallOptions } from "../options.ts";
import type { ChainTypeOption } from "./chain-types.ts";
import type { Comparator, Json } from "./fields.ts";

/** Options of {@link simulateConditions}. */
export type SimulateOptions<Chain extends ChainTypeOption> = Pick<CallOptions, "signal" | "timeoutMs"> & {
  /** JSON-RPC URL of the chain, or one URL per chain by its name in the conditions, in any case. */
  rpc: string | Readonly<Record<string, string>>;
  /** Values of the other `:name`s in parameters, by name. @default none */
  dynamicData?: Readonly<Record<string, Json>> | undefined;
  /** The chain type of the conditions; only `EVM` is evaluated. @default `EVM` */
  chainType?: Chain;
};

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
