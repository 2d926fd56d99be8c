import * as z from "zod/mini";
import type { ConditionProblem } from "../../base/errors/details/input-and-requests.ts";
import { type AggregatorRule, checkAggregator } from "./aggregator.ts";
import {
  type CheckedByChainType,
  type CoreumCondition,
  conditionSchemas,
  type EvmCondition,
  type RadixCondition,
  type SolanaCondition,
} from "./chains.ts";
import { type AnyCase, invalidCondition, joinAlternatives, toCanonicalCase } from "./fields.ts";

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
export type CheckedConditions = {
  [Chain in ChainType]: { chainType: Chain; conditions: CheckedByChainType[Chain][] };
}[ChainType];

/** Finds the choice that `option` names in any case; the first one is the default. Throws `INVALID_CONDITION`. */
export function checkChoice<Choice extends string>(
  field: string,
  choices: readonly [Choice, ...Choice[]],
  option: unknown,
): Choice {
  if (option === undefined || option === null || option === "") return choices[0];
  const choice = choices.find((known) => known === toCanonicalCase(choices, option));
  if (choice !== undefined) return choice;
  throw invalidCondition([{ field, expected: `must be ${joinAlternatives(choices)}, in any case` }]);
}

/** Conditions and the rule that combines them, both checked. */
export type CheckedAccess = CheckedConditions & {
  /** As passed by the caller; undefined if a single condition needs none. */
  aggregator: string | undefined;
  rule: AggregatorRule;
};

/**
 * Checks access conditions: every condition by the rules of its chain type, the ids, and the aggregator.
 *
 * @throws `INVALID_CONDITION`, whose `details.problems` lists every invalid condition and field
 */
export function checkConditions(conditions: unknown, aggregator: unknown, chainType: unknown): CheckedAccess {
  const chain = checkChoice("chainType", ["EVM", "SOLANA", "COREUM", "RADIX"], chainType);
  if (!Array.isArray(conditions) || conditions.length === 0) {
    throw invalidCondition([{ field: "conditions", expected: "must be an array of at least one condition" }]);
  }
  const problems: ConditionProblem[] = [];
  const checked = Array.from(conditions, (condition: unknown, position) => {
    const { value, problems: found } = checkCondition(chain, condition);
    const id = readId(condition);
    problems.push(...found.map((problem) => ({ position, ...(id === undefined ? {} : { id }), ...problem })));
    return value;
  });
  problems.push(...findRepeatedIds(conditions));
  const [first, ...others] = problems;
  if (first) throw invalidCondition([first, ...others]);

  const list = { chainType: chain, conditions: checked } as CheckedConditions;
  const ids = list.conditions.map(({ id }) => id);
  return { ...list, ...checkAggregator(aggregator, ids) };
}

type FieldProblem = Pick<ConditionProblem, "field" | "expected">;

function checkCondition(chain: ChainType, condition: unknown): { value?: unknown; problems: readonly FieldProblem[] } {
  if (typeof condition !== "object" || condition === null || Array.isArray(condition)) {
    return { problems: [{ field: "", expected: "must be an object" }] };
  }
  const { known, other } = conditionSchemas[chain];
  const types = Object.keys(known);
  const type = "standardContractType" in condition ? condition.standardContractType : undefined;
  const name = type === null || (type === undefined && other) ? "" : toCanonicalCase(types, type);
  const schema = types.includes(name as string) ? known[name as string] : other;
  if (!schema) {
    const expected = `must be ${joinAlternatives(types.map((type) => type || "empty"))}`;
    return { problems: [{ field: "standardContractType", expected }] };
  }
  const parsed = z.safeParse(schema, condition);
  if (parsed.success) return { value: parsed.data, problems: [] };
  const problems = parsed.error.issues.flatMap((issue) => {
    const paths = issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    return paths.map((path) => ({ field: formatPath(path), expected: issue.message }));
  });
  return { problems };
}

/** Formats `["parameters", 1]` as `parameters[1]`. */
function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === "number") return `${name}[${part}]`;
    return name === "" ? String(part) : `${name}.${String(part)}`;
  }, "");
}

function readId(condition: unknown): number | undefined {
  const id = typeof condition === "object" && condition !== null && "id" in condition ? condition.id : undefined;
  return typeof id === "number" ? id : undefined;
}

function findRepeatedIds(conditions: readonly unknown[]): ConditionProblem[] {
  const first = new Map<number, number>();
  return conditions.flatMap((condition, position) => {
    const id = readId(condition);
    if (id === undefined) return [];
    const earlier = first.get(id);
    if (earlier !== undefined) {
      return { position, id, field: "id", expected: `must be unique, and conditions[${earlier}] has the same` };
    }
    first.set(id, position);
    return [];
  });
}
