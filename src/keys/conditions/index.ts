export type { CoreumCondition, EvmCondition, RadixCondition, SolanaCondition } from "./chains.ts";
export type {
  AccessCondition,
  ChainType,
  ChainTypeOption,
  ConditionList,
  ConditionOf,
  ConditionsByChainType,
  DecryptionType,
  DecryptionTypeOption,
} from "./check-conditions.ts";
export type { SimulatedCondition, SimulatedValue, Simulation } from "./evaluate.ts";
export { type ExplainOptions, explainConditions } from "./explain.ts";
export type { AnyCase, Comparator, Json, SolidityType } from "./fields.ts";
export { type SimulateOptions, simulateConditions } from "./simulate.ts";
