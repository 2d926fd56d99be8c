import * as z from "zod/mini";
import { numberThat, textLike } from "../validation/schema.ts";
import { type SolidityType, solidityTypes } from "./solidity-types.ts";

/** What JSON can carry. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** A word in its own spelling, in lower case or in upper case. Other mixtures are understood too, but not typed. */
export type AnyCase<Word extends string> = Word | Lowercase<Word> | Uppercase<Word>;

/** How the value that a condition reads is compared with the one it asks for. */
const comparators = ["==", ">=", "<=", "!=", ">", "<"] as const;

/** A way to compare. */
export type Comparator = (typeof comparators)[number];

const JSON_DEPTH = 32;

/** Whether JSON carries this very number: of integers beyond 2^53 a neighbour would arrive. */
export function isExact(value: number): boolean {
  return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
}

const UNSAFE = "must be at most 2^53 - 1 in size as a number: use a string for larger ones";

/** `expected`, unless the value is a number that is too large, or holds one. */
function orUnsafe(expected: string) {
  return ({ input }: { input?: unknown }) => (holdsUnsafe(input) ? UNSAFE : expected);
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
  // A `Map`, a `Date` and their like would be sent as something else.
  if (typeof value !== "object" || Object.prototype.toString.call(value) !== "[object Object]") return false;
  return Object.values(value).every((item) => isJson(item, depth + 1));
}

/** `value` as one of `words`, whatever its case; anything else as it is. */
export function spelling(words: readonly string[], value: unknown): unknown {
  if (typeof value !== "string") return value;
  return words.find((word) => word.toLowerCase() === value.toLowerCase()) ?? value;
}

/** "a, b or c" */
export function alternatives(words: readonly string[]): string {
  return [words.slice(0, -1).join(", "), words.at(-1)].filter(Boolean).join(" or ");
}

/** One of some words in any case; gives the word in the first spelling. */
export function anyCase<const Word extends string>(words: readonly Word[]) {
  return z.pipe(
    z.transform((value: AnyCase<Word>) => spelling(words, value)),
    z.enum(words, { error: `must be ${alternatives(words)}, in any case` }),
  );
}

/** An empty contract type, for which null stands too. */
export const noContractType = z.pipe(
  z.transform((value: "" | null) => value ?? ""),
  z.enum([""], { error: "must be empty" }),
);

const TEXT = "must be a text that is not empty";

/** A text that has to be there. */
export const requiredText = textLike(/./s, TEXT);

/** A text that may be missing or empty. */
export const optionalText = z.optional(z.string({ error: "must be a text" }));

/** The arguments of what is read. */
export const parameterList: z.ZodMiniType<readonly Json[], readonly Json[]> = z.array(
  z.custom<Json>((value) => isJson(value), { error: orUnsafe("must be a value that JSON can carry") }),
  { error: "must be an array" },
);

/** A type of a `Custom` call. */
export const solidityType = z.enum(solidityTypes as [SolidityType, ...SolidityType[]], {
  error:
    "must be a Solidity type: address, bool, bytes1 to bytes8, bytes16, bytes32, " +
    "uint or int of 8, 16, 24, 32, 40, 48, 64, 128, 192 or 256 bits, or an array [] of one",
});

/** The types of a `Custom` call's arguments. */
export const solidityTypeList: z.ZodMiniType<readonly SolidityType[], readonly SolidityType[]> = z.array(solidityType, {
  error: "must be an array of Solidity types",
});

const ID = "must be a number from 1 on";
const VALUE = "must be a number, a text or an array";

/** What conditions of every chain type have. */
export const commonFields = {
  /** What the aggregator calls it, from 1 on; no two conditions of a list have the same. */
  id: numberThat((id) => id >= 1 && isExact(id), ID),
  /** What has to be true of the value that is read. */
  returnValueTest: z.strictObject(
    {
      /** The value read stands on its left … */
      comparator: z.enum(comparators, { error: `must be ${alternatives(comparators)}` }),
      /** … and this on its right. `:userAddress` stands for the address that asks. */
      value: z.union([numberThat(isExact), z.string(), parameterList], { error: orUnsafe(VALUE) }),
    },
    { error: "must be an object { comparator, value }" },
  ),
};
