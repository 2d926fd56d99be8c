export type {
  AccessCondition,
  ChainType,
  ChainTypeOption,
  ConditionList,
  ConditionOf,
  ConditionsByChainType,
  DecryptionType,
  DecryptionTypeOption,
} from "./chain-types.ts";
export type { CoreumCondition } from "./coreum.ts";
export type { SimulatedCondition, SimulatedValue, Simulation } from "./evaluate.ts";
export type { EvmCondition } from "./evm.ts";
export { type ExplainOptions, explainConditions } from "./explain.ts";
export type { AnyCase, Comparator, Json } from "./fields.ts";
export type { RadixCondition } from "./radix.ts";
export { type SimulateOptions, simulateConditions } from "./simulate.ts";
export type { SolanaCondition } from "./solana.ts";
export type { SolidityType } from "./solidity-types.ts";
