import fc from "fast-check";
import { expect, test } from "vitest";
import { checkAggregator } from "../../../src/keys/conditions/aggregator.ts";
import { checkConditions } from "../../../src/keys/conditions/check-conditions.ts";
import type { Json } from "../../../src/keys/conditions/fields.ts";
import { lists } from "../../../test/access-conditions/condition-models.ts";
import { formatRule, ids, rules } from "../../../test/access-conditions/rule-models.ts";
import { compareValues, parseRule } from "../../devnet/src/conditions/condition.ts";
import { parseAccess, readAccess } from "../../devnet/src/conditions/read-access.ts";
import { type ChainValue, compare } from "../src/compare.ts";
import { evaluateRule } from "../src/evaluate-rule.ts";

// The devnet evaluates conditions with its own code, so each side is the other's oracle.

const runs = { numRuns: 1_000 };

test("the devnet accepts what the kit accepts", () => {
  fc.assert(
    fc.property(lists, ({ chainType, conditions, aggregator }) => {
      const checked = checkConditions(conditions, aggregator, chainType);
      const wired = JSON.parse(JSON.stringify({ ...checked, rule: undefined }));
      const read = parseAccess(readAccess(wired, "ADDRESS"));
      expect(read.conditions.map(({ id }) => id)).toEqual(conditions.map(({ id }) => id));
    }),
    runs,
  );
});

test("an aggregator has the same result on both sides for any true, false and unknown conditions", () => {
  const truth = fc.constantFrom(true, false, undefined);
  fc.assert(
    fc.property(rules, fc.array(fc.tuple(truth, truth, truth, truth), { minLength: 8 }), (rule, outcomes) => {
      const text = formatRule(rule);
      const here = checkAggregator(text, ids).rule;
      const there = parseRule(text, new Set(ids));
      for (const outcome of outcomes) {
        const holds = (id: number) => outcome[id - 1];
        expect(there(holds)).toBe(evaluateRule(here, holds));
      }
    }),
    runs,
  );
});

test("both sides compare values of a chain identically", () => {
  const integer = fc.oneof(
    fc.bigInt({ min: -3n, max: 3n }),
    fc.bigInt({ min: -(2n ** 255n), max: 2n ** 256n - 1n }),
    fc.bigInt({ min: 2n ** 53n - 2n, max: 2n ** 53n + 2n }),
  );
  const text = fc.constantFrom("GOLD", "gold", "", "true", "0", "0xABCDEF01", "0xabcdef01", "0xabcdef02", "0x", "0xZZ");
  const { actual } = fc.letrec<{ actual: ChainValue }>((tie) => ({
    actual: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      integer,
      fc.boolean(),
      text,
      fc.array(tie("actual"), { maxLength: 3 }),
    ),
  }));
  const integerForms = integer.chain((value) =>
    fc.constantFrom<Json>(
      ...[`${value}`, ` ${value}\n`, Number(value), `${value}.0`, `${value}.5`],
      ...[`0x${(value < 0n ? -value : value).toString(16)}`, value < 0n ? `${value}` : `+${value}`],
    ),
  );
  const odd = fc.constantFrom<Json>(
    "TRUE",
    "False",
    "1",
    "one",
    "1e3",
    "-0x1",
    null,
    true,
    false,
    { a: 1 },
    ["true"],
    [1],
  );
  const target = fc.oneof(integerForms, text, odd, fc.array(fc.oneof(integerForms, text, odd), { maxLength: 3 }));
  const pairs = fc.oneof(
    fc.tuple(actual, target),
    actual.map((value): [ChainValue, Json] => [value, asJson(value)]),
    fc.tuple(integer, integerForms),
  );
  const comparator = fc.constantFrom("==", "!=", ">=", "<=", ">", "<");
  const counts = new Map<unknown, number>();
  fc.assert(
    fc.property(pairs, comparator, ([value, target], how) => {
      const here = compare(value, how, target);
      counts.set(here, (counts.get(here) ?? 0) + 1);
      expect(compareValues(value, how, target)).toBe(here);
    }),
    runs,
  );
  for (const outcome of [true, false, undefined]) expect(counts.get(outcome)).toBeGreaterThan(80);
  // A list is never a boolean.
  expect([compare(true, "==", ["true"]), compareValues(true, "==", ["true"])]).toEqual([undefined, undefined]);
});

/** The value as the target of a condition. */
function asJson(value: ChainValue): Json {
  if (typeof value === "bigint") return value.toString();
  return typeof value === "object" ? value.map(asJson) : value;
}
