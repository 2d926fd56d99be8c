import type * as z from "zod/mini";
import { invalidCondition } from "../../base/errors/condition.ts";
import { type CheckedCoreumCondition, type CoreumCondition, getCoreumSchema } from "./coreum.ts";
import { type CheckedEvmCondition, type EvmCondition, expectedEvmType, getEvmSchema } from "./evm.ts";
import { type AnyCase, joinAlternatives, toCanonicalCase } from "./fields.ts";
import { type CheckedRadixCondition, getRadixSchema, type RadixCondition } from "./radix.ts";
import { type CheckedSolanaCondition, expectedSolanaType, getSolanaSchema, type SolanaCondition } from "./solana.ts";

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

/** The conditions of a chain type. */
export type ConditionOf<Option extends ChainTypeOption> = ConditionsByChainType[Option extends AnyCase<ChainType>
  ? Uppercase<Option>
  : "EVM"];

/** Any condition of any chain type. */
export type AccessCondition = ConditionsByChainType[ChainType];

/**
 * Conditions and their chain type. EVM is last, because the compiler explains errors by the last member when a caller
 * names no chain type.
 */
export type ConditionList =
  | {
      /** The chain type of the conditions. */
      chainType: AnyCase<"SOLANA">;
      /** Who may open the file. */
      conditions: readonly SolanaCondition[];
    }
  | {
      /** The chain type of the conditions. */
      chainType: AnyCase<"COREUM">;
      /** Who may open the file. */
      conditions: readonly CoreumCondition[];
    }
  | {
      /** The chain type of the conditions. */
      chainType: AnyCase<"RADIX">;
      /** Who may open the file. */
      conditions: readonly RadixCondition[];
    }
  | {
      /** The chain type of the conditions. @default `EVM` */
      chainType?: AnyCase<"EVM"> | "" | null | undefined;
      /** Who may open the file. */
      conditions: readonly EvmCondition[];
    };

/**
 * How the requester is identified: by the address that signed, or by the conditions alone. The owner and the addresses
 * that the file is shared with always receive the key, and so does every requester who meets the conditions.
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
  /** Returns the schema for a `standardContractType`; undefined if there is no such type. */
  getSchema(type: unknown): z.ZodMiniType | undefined;
  /** Describes the valid types. */
  expectedType: string;
}

/** How the conditions of each chain type are checked. */
export const conditionKinds: Readonly<Record<ChainType, ConditionKind>> = {
  EVM: { getSchema: getEvmSchema, expectedType: expectedEvmType },
  SOLANA: { getSchema: getSolanaSchema, expectedType: expectedSolanaType },
  COREUM: { getSchema: getCoreumSchema, expectedType: "must be a string" },
  RADIX: { getSchema: getRadixSchema, expectedType: "must be a string" },
};

/** Returns the chain type in its canonical case; throws `INVALID_CONDITION`. */
export function checkChainType(option: unknown): ChainType {
  return checkChoice("chainType", ["EVM", "SOLANA", "COREUM", "RADIX"], option);
}

/** Returns the decryption type in its canonical case; throws `INVALID_CONDITION`. */
export function checkDecryptionType(option: unknown): DecryptionType {
  return checkChoice("decryptionType", ["ADDRESS", "ACCESS_CONDITIONS"], option);
}

/** Finds the choice that `option` names in any case; the first one is the default. */
function checkChoice<Choice extends string>(
  field: string,
  choices: readonly [Choice, ...Choice[]],
  option: unknown,
): Choice {
  if (option === undefined || option === null || option === "") return choices[0];
  const choice = choices.find((known) => known === toCanonicalCase(choices, option));
  if (choice === undefined) {
    throw invalidCondition([{ field, expected: `must be ${joinAlternatives(choices)}, in any case` }]);
  }
  return choice;
}
