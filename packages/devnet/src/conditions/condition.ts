import { Refusal } from "../http/json.ts";

/** Comparisons of the value read from a chain with the expected value. */
export const COMPARATORS = ["==", ">=", "<=", "!=", ">", "<"] as const;
export type Comparator = (typeof COMPARATORS)[number];

export const CHAIN_TYPES = ["EVM", "SOLANA", "COREUM", "RADIX"] as const;
export type ChainType = (typeof CHAIN_TYPES)[number];

/** Who may read a shard: the owner and the recipients, or also anyone who meets the conditions. */
export const DECRYPTION_TYPES = ["ADDRESS", "ACCESS_CONDITIONS"] as const;
type DecryptionType = (typeof DECRYPTION_TYPES)[number];

/** A parsed condition: the fields that its evaluation reads. */
export interface Condition {
  id: number;
  chain: string;
  /** Lower-case; empty for reads of the chain itself. */
  standardContractType: string;
  contractAddress: string;
  method: string;
  parameters?: readonly unknown[] | undefined;
  /** Solidity types of a `custom` call. */
  inputArrayType?: readonly string[];
  outputType?: string;
  returnValueTest: {
    comparator: Comparator;
    /** The right-hand side: a number, a string or a list. */
    value: unknown;
  };
}

/** The access conditions of a file, as a key node stores them. */
export interface FileAccess {
  chainType: ChainType;
  decryptionType: DecryptionType;
  /** As received; empty if there was none. */
  aggregator: string;
  /** The conditions as received. */
  conditions: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Compares the value read from a chain (a bigint, boolean, string or list of these) with the expected value; `undefined`
 * if the two are not comparable.
 *
 * Integers are exact at any size, whether expected as a number or as a decimal or `0x` string. Booleans and lists support
 * only `==` and `!=`. Hex is compared case-insensitively.
 */
export function compareValues(actual: unknown, comparator: Comparator, expected: unknown): Truth {
  switch (comparator) {
    case "==":
      return equal(actual, expected);
    case "!=":
      return negate(equal(actual, expected));
    default: {
      const order = compareOrdered(actual, expected);
      if (order === undefined) return undefined;
      return { ">": order > 0, "<": order < 0, ">=": order >= 0, "<=": order <= 0 }[comparator];
    }
  }
}

function equal(actual: unknown, expected: unknown): Truth {
  if (Array.isArray(actual)) {
    if (!Array.isArray(expected)) return undefined;
    if (actual.length !== expected.length) return false;
    const parts = actual.map((item, index) => equal(item, expected[index]));
    if (parts.includes(false)) return false;
    return parts.includes(undefined) ? undefined : true;
  }
  if (typeof actual === "boolean") {
    if (typeof expected === "object") return undefined;
    const text = String(expected).toLowerCase();
    if (text === "true" || text === "1") return actual;
    return text === "false" || text === "0" ? !actual : undefined;
  }
  const order = compareOrdered(actual, expected);
  return order === undefined ? undefined : order === 0;
}

/** Returns a negative number, 0 or a positive one, as `actual` is less than, equal to or greater than `expected`. */
function compareOrdered(actual: unknown, expected: unknown): number | undefined {
  if (typeof actual === "bigint") {
    const number = toNumber(expected);
    // a bigint and a number compare by their exact values
    return number === undefined ? undefined : Number(actual > number) - Number(actual < number);
  }
  if (typeof actual !== "string" || (typeof expected !== "string" && typeof expected !== "number")) return undefined;
  const strings = [actual, String(expected)];
  const areHex = strings.every((string) => /^0x[0-9a-f]*$/i.test(string));
  const [one = "", other = ""] = areHex ? strings.map((string) => string.toLowerCase()) : strings;
  return Number(one > other) - Number(one < other);
}

function toNumber(value: unknown): bigint | number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || value.trim() === "") return undefined;
  try {
    return BigInt(value);
  } catch {
    const number = Number(value);
    return Number.isFinite(number) ? number : undefined;
  }
}

/** Whether a condition is met; `undefined` if unknown. */
export type Truth = boolean | undefined;

/** A parsed aggregator: maps the result of each condition to the result of the whole. */
export type Rule = (holds: (id: number) => Truth) => Truth;

const MAX_DEPTH = 64;

/**
 * Parses an aggregator such as `([1] and [2]) or ![3]`. `!` binds tightest, then `and`, then `or`, both
 * case-insensitive. An unknown condition makes the result unknown unless the others decide it, and `!` keeps it unknown.
 *
 * @throws Refusal 400 for a syntax error, and for an id that is not in `ids`.
 */
export function parseRule(aggregator: string, ids: ReadonlySet<number>): Rule {
  const tokens = aggregator.match(/\[\s*\d+\s*\]|[()!]|[a-z]+|\S/gi) ?? [];
  let at = 0;
  const accept = (token: string): boolean => {
    if (tokens[at]?.toLowerCase() !== token) return false;
    at++;
    return true;
  };

  const parseOr = (depth: number): Rule => {
    const operands = [parseAnd(depth)];
    while (accept("or")) operands.push(parseAnd(depth));
    return combine(operands, true);
  };
  const parseAnd = (depth: number): Rule => {
    const operands = [parseOperand(depth)];
    while (accept("and")) operands.push(parseOperand(depth));
    return combine(operands, false);
  };
  const parseOperand = (depth: number): Rule => {
    if (depth > MAX_DEPTH) throw refusal("is nested too deeply");
    if (accept("!")) {
      const inner = parseOperand(depth + 1);
      return (holds) => negate(inner(holds));
    }
    if (accept("(")) {
      const inner = parseOr(depth + 1);
      if (!accept(")")) throw refusal("has unbalanced brackets");
      return inner;
    }
    const id = Number(/^\[\s*(\d+)\s*\]$/.exec(tokens[at] ?? "")?.[1]);
    if (Number.isNaN(id)) throw refusal(at < tokens.length ? `is malformed at "${tokens[at]}"` : "is incomplete");
    if (!ids.has(id)) throw refusal(`names [${id}], which is no condition`);
    at++;
    return (holds) => holds(id);
  };

  const rule = parseOr(0);
  if (tokens[at] === ")") throw refusal("has unbalanced brackets");
  if (at < tokens.length) throw refusal(`is malformed at "${tokens[at]}"`);
  return rule;
}

/** Combines operands of which one that is `decisive` decides: `true` for `or`, `false` for `and`. */
function combine(operands: readonly Rule[], decisive: boolean): Rule {
  return (holds) => {
    const truths = operands.map((operand) => operand(holds));
    if (truths.includes(decisive)) return decisive;
    return truths.includes(undefined) ? undefined : !decisive;
  };
}

function negate(truth: Truth): Truth {
  return truth === undefined ? undefined : !truth;
}

function refusal(detail: string): Refusal {
  return new Refusal(400, `aggregator ${detail}`);
}
