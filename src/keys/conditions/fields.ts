import * as z from "zod/mini";
import { type DetailsOf, KeeplightError } from "../../base/errors/base.ts";
import type { ConditionProblem } from "../../base/errors/details/input-and-requests.ts";
import { findMisspelling } from "../../base/validation/address.ts";
import { numberThat, oneOf, textLike } from "../../base/validation/schema.ts";

/** Widths of the integers that the key nodes pass to a contract, in bits, and lengths of the fixed byte strings. */
const integerBits = [8, 16, 24, 32, 40, 48, 64, 128, 192, 256] as const;
const byteCounts = [1, 2, 3, 4, 5, 6, 7, 8, 16, 32] as const;

type SolidityScalar =
  | "address"
  | "bool"
  | `bytes${(typeof byteCounts)[number]}`
  | `${"" | "u"}int${(typeof integerBits)[number]}`;

/** A type that a `Custom` condition may pass to a contract or read from it. */
export type SolidityType = SolidityScalar | `${SolidityScalar}[]`;

const scalars: readonly SolidityScalar[] = [
  "address",
  "bool",
  ...byteCounts.map((count) => `bytes${count}` as const),
  ...integerBits.flatMap((bits) => [`uint${bits}`, `int${bits}`] as const),
];

/** Every {@link SolidityType}. */
export const solidityTypes: readonly SolidityType[] = [...scalars, ...scalars.map((type) => `${type}[]` as const)];

/** A value that JSON can represent. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** A name in its canonical, lower or upper case. Other mixtures are accepted too, but not typed. */
export type AnyCase<Name extends string> = Name | Lowercase<Name> | Uppercase<Name>;

/** How the value that a condition reads is compared with its target. */
const comparators = ["==", ">=", "<=", "!=", ">", "<"] as const;

/** A way to compare. */
export type Comparator = (typeof comparators)[number];

const JSON_DEPTH = 32;

/** Whether JSON represents this number exactly: integers beyond 2^53 would be rounded. */
export function isExact(value: number): boolean {
  return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
}

const UNSAFE = "must be at most 2^53 - 1 in size as a number: use a string for larger ones";

/** Returns `expected`, unless the value is or contains a number that is too large. */
function orUnsafe(expected: string) {
  return { error: ({ input }: { input?: unknown }) => (holdsUnsafe(input) ? UNSAFE : expected) };
}

function holdsUnsafe(value: unknown, depth = 0): boolean {
  if (typeof value === "number") return Number.isFinite(value) && !isExact(value);
  if (typeof value !== "object" || value === null || depth > JSON_DEPTH) return false;
  return Object.values(value).some((item) => holdsUnsafe(item, depth + 1));
}

function isJson(value: unknown, depth = 0): value is Json {
  if (depth > JSON_DEPTH) return false;
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return isExact(value);
  if (Array.isArray(value)) return Array.from(value).every((item) => isJson(item, depth + 1));
  // `Map`, `Date` and similar objects would be serialized as something else.
  if (typeof value !== "object" || Object.prototype.toString.call(value) !== "[object Object]") return false;
  return Object.values(value).every((item) => isJson(item, depth + 1));
}

/** Returns the name that equals `value` in any case, or else `value` itself. */
export function toCanonicalCase(names: readonly string[], value: unknown): unknown {
  if (typeof value !== "string") return value;
  return names.find((name) => name.toLowerCase() === value.toLowerCase()) ?? value;
}

/** Formats a list as "a, b or c". */
export function joinAlternatives(names: readonly string[]): string {
  return [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" or ");
}

/** One of these names in any case; outputs the name in its canonical case. */
export function anyCase<const Name extends string>(names: readonly Name[]): z.ZodMiniType<Name, AnyCase<Name>> {
  const find = (value: unknown) => names.find((name) => name === toCanonicalCase(names, value));
  return z.pipe(
    z.custom<AnyCase<Name>>((value) => find(value) !== undefined, `must be ${joinAlternatives(names)}, in any case`),
    z.transform((value) => find(value) as Name),
  );
}

/** An empty contract type, which may be null. */
export const noContractType: z.ZodMiniType<"", "" | null> = z.pipe(
  z.custom<"" | null>((value) => value === "" || value === null, "must be empty"),
  z.transform(() => "" as const),
);

/**
 * Refuses an EVM address in mixed case with a wrong checksum (EIP-55), in lists too: another contract or account would
 * decide.
 */
const spelledRight = z.refine((value) => findMisspelled(value) === undefined, {
  error: ({ input }) => `has a wrong checksum: if all digits are right, it is ${findMisspelled(input)}`,
});

/** Returns how the first misspelled address of a value is spelled right. */
function findMisspelled(value: unknown): string | undefined {
  if (typeof value === "string") return findMisspelling(value);
  if (typeof value !== "object" || value === null) return undefined;
  return Object.values(value).map(findMisspelled).find(Boolean);
}

export const requiredText = textLike(/./s, "must be a non-empty string");

export const contractText = requiredText.check(spelledRight);

export const optionalText = z.optional(z.string("must be a string"));

export const optionalContractText = optionalText.check(spelledRight);

/** The arguments of a read. */
export const parameterList: z.ZodMiniType<readonly Json[], readonly Json[]> = z.array(
  z.custom<Json, Json>(isJson, orUnsafe("must be a value that JSON can represent")).check(spelledRight),
  "must be an array",
);

/** A type of a `Custom` call. */
export const solidityType = oneOf(
  solidityTypes,
  "must be a Solidity type: address, bool, bytes1 to bytes8, bytes16, bytes32, " +
    "uint or int of 8, 16, 24, 32, 40, 48, 64, 128, 192 or 256 bits, or an array [] of one",
);

/** The types of a `Custom` call's arguments. */
export const solidityTypeList: z.ZodMiniType<readonly SolidityType[], readonly SolidityType[]> = z.array(
  solidityType,
  "must be an array of Solidity types",
);

/** The value that a condition compares with. */
const comparedValue = z.union(
  [numberThat(isExact), z.string().check(spelledRight), parameterList],
  orUnsafe("must be a number, a string or an array"),
);

/** A condition, or a part of one, with these fields and no others; `expected` describes it. */
export function conditionWith<Fields extends z.core.$ZodLooseShape>(fields: Fields, expected?: string) {
  return z.strictObject(fields, {
    error: ({ code }) => (code === "unrecognized_keys" ? "is not a field of this kind of condition" : expected),
  });
}

/** Fields of conditions of every chain type. */
export const commonFields = {
  /** Identifies the condition in the aggregator; 1 or more, unique in a list. */
  id: numberThat((id) => id >= 1 && isExact(id), "must be a number from 1 on"),
  /** The test that the value must pass. */
  returnValueTest: conditionWith(
    {
      /** Compares the value that was read, on the left … */
      comparator: oneOf(comparators, `must be ${joinAlternatives(comparators)}`),
      /** … with this one, on the right. `:userAddress` stands for the requester's address. */
      value: comparedValue,
    },
    "must be an object { comparator, value }",
  ),
};

/** The message names the first problem; `details.problems` has them all. */
export function invalidCondition(problems: DetailsOf<"INVALID_CONDITION">["problems"]): KeeplightError {
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  const message = `Condition validation error: ${describe(first)}${more}`;
  return new KeeplightError("INVALID_CONDITION", message, { details: { problems } });
}

function describe({ position, id, field, expected }: ConditionProblem): string {
  if (position === undefined) return `${field} ${expected}`;
  const which = `conditions[${position}]${id === undefined ? "" : ` (id ${id})`}`;
  return field === "" ? `${which} ${expected}` : `${which}: ${field} ${expected}`;
}
