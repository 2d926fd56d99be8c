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
export type { AnyCase, Comparator, Json, SolidityType } from "./fields.ts";
