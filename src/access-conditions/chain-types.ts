import type * as z from "zod/mini";
import { invalidCondition } from "../errors/condition.ts";
import { type CheckedCoreumCondition, type CoreumCondition, coreumSchema } from "./coreum.ts";
import { type CheckedEvmCondition, type EvmCondition, evmSchema, evmTypes } from "./evm.ts";
import { type AnyCase, alternatives, spelling } from "./fields.ts";
import { type CheckedRadixCondition, type RadixCondition, radixSchema } from "./radix.ts";
import { type CheckedSolanaCondition, type SolanaCondition, solanaSchema, solanaTypes } from "./solana.ts";

/** The conditions of each chain type. */
export interface ConditionsByChainType {
  /** Calls of contracts, balances and block numbers. */
  EVM: EvmCondition;
  /** Token accounts, balances and block heights. */
  SOLANA: SolanaCondition;
  /** Balances, tokens and contracts. */
  COREUM: CoreumCondition;
  /** Resources. */
  RADIX: RadixCondition;
}

/** Which kind of chain a list of conditions is about. */
export type ChainType = keyof ConditionsByChainType;

/** A {@link ChainType} in upper or lower case; empty, null and undefined stand for `EVM`. */
export type ChainTypeOption = AnyCase<ChainType> | "" | null | undefined;

/** The conditions that go with a chain type. */
export type ConditionOf<Option extends ChainTypeOption> = ConditionsByChainType[Option extends AnyCase<ChainType>
  ? Uppercase<Option>
  : "EVM"];

/** Any condition of any chain type. */
export type AccessCondition = ConditionsByChainType[ChainType];

/**
 * Conditions and the chain type they are of. EVM comes last, as that is the kind which the compiler explains to those
 * who name none.
 */
export type ConditionList =
  | { chainType: AnyCase<"SOLANA">; conditions: readonly SolanaCondition[] }
  | { chainType: AnyCase<"COREUM">; conditions: readonly CoreumCondition[] }
  | { chainType: AnyCase<"RADIX">; conditions: readonly RadixCondition[] }
  | { chainType?: AnyCase<"EVM"> | "" | null | undefined; conditions: readonly EvmCondition[] };

/**
 * How whoever asks for a key is taken: as the address that signed, or by the conditions alone. The owner and
 * those the file is shared to get the key in any case, and so does whoever meets the conditions.
 */
export type DecryptionType = "ADDRESS" | "ACCESS_CONDITIONS";

/** A {@link DecryptionType} in upper or lower case; empty, null and undefined stand for `ADDRESS`. */
export type DecryptionTypeOption = AnyCase<DecryptionType> | "" | null | undefined;

/** Conditions that have been checked. */
export type CheckedConditions =
  | { chainType: "EVM"; conditions: CheckedEvmCondition[] }
  | { chainType: "SOLANA"; conditions: CheckedSolanaCondition[] }
  | { chainType: "COREUM"; conditions: CheckedCoreumCondition[] }
  | { chainType: "RADIX"; conditions: CheckedRadixCondition[] };

/** How the conditions of one chain type are checked. */
interface ConditionKind {
  /** The schema for a `standardContractType`; undefined if there is no such type. */
  schema(type: unknown): z.ZodMiniType | undefined;
  /** Which types there are, in words. */
  types: string;
}

/** For each chain type, how its conditions are checked. */
export const conditionKinds: Readonly<Record<ChainType, ConditionKind>> = {
  EVM: { schema: evmSchema, types: evmTypes },
  SOLANA: { schema: solanaSchema, types: solanaTypes },
  COREUM: { schema: coreumSchema, types: "must be a text" },
  RADIX: { schema: radixSchema, types: "must be a text" },
};

/** The chain type in its own spelling; throws `INVALID_CONDITION`. */
export function checkChainType(option: unknown): ChainType {
  return checkWord("chainType", ["EVM", "SOLANA", "COREUM", "RADIX"], option);
}

/** The decryption type in its own spelling; throws `INVALID_CONDITION`. */
export function checkDecryptionType(option: unknown): DecryptionType {
  return checkWord("decryptionType", ["ADDRESS", "ACCESS_CONDITIONS"], option);
}

/** One of `words` in any case; the first of them where there is none. */
function checkWord<Word extends string>(field: string, words: readonly [Word, ...Word[]], option: unknown): Word {
  if (option === undefined || option === null || option === "") return words[0];
  const word = words.find((known) => known === spelling(words, option));
  if (word === undefined) throw invalidCondition([{ field, expected: `must be ${alternatives(words)}, in any case` }]);
  return word;
}
