import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { evaluateRule } from "../../packages/conditions/src/evaluate-rule.ts";
import { type AggregatorRule, checkAggregator } from "../../src/keys/conditions/aggregator.ts";
import { refusal } from "./refusal.ts";
import { formatRule, ids, rules } from "./rule-models.ts";
import { evaluate, isRule } from "./rule-oracle.ts";
import { samples } from "./samples.ts";

const runs = { numRuns: 1_000 };
/** All combinations of results of conditions 1 to 4. */
const worlds = Array.from({ length: 16 }, (_, bits) => (id: number) => ((bits >> (id - 1)) & 1) === 1);

it("formatting and parsing a rule yields the same rule, which evaluates like its string", () => {
  fc.assert(
    fc.property(rules, (rule) => {
      const text = formatRule(rule);
      expect(isRule(text, ids)).toBe(true);
      const parsed = checkAggregator(text, ids).rule;
      expect(parsed).toEqual(rule);
      for (const world of worlds) expect(evaluateRule(parsed, world)).toBe(evaluate(text, world));
    }),
    runs,
  );
});

it("without brackets, ! binds tighter than and, and tighter than or", () => {
  const part = fc.record({
    nots: fc.integer({ min: 0, max: 3 }),
    id: fc.constantFrom(...ids),
    operator: fc.constantFrom("and", "or", "AND", "Or"),
    space: fc.constantFrom(" ", "  ", " \n\t"),
  });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const start = parts
        .map(({ nots, id, operator, space }) => `${"!".repeat(nots)}[${id}]${space}${operator} `)
        .join("");
      const text = `${start}[1] or [2] and [3] or ![4]`;
      const { rule, aggregator } = checkAggregator(text, ids);
      expect(aggregator).toBe(text);
      for (const world of worlds) expect(evaluateRule(rule, world)).toBe(evaluate(text, world));
    }),
    runs,
  );
});

/** Rules, and strings that differ from one by a few tokens, including nearly valid ones. */
const token = fc.constantFrom(
  ...["[1]", "[2]", "(", ")", "!", " and ", " or ", " ", "\tAnd\n"],
  ...["[3]", "[01]", "[ 1 ]", "[", "]", "1", "and", "or", "xor", " xor ", "not ", " && ", ",", "\u00a0or\u00a0"],
);
const twoNamed = rules.map((rule) => formatRule(rule).replaceAll("[3]", "[1]").replaceAll("[4]", "[2]"));
const almost = fc
  .record({
    text: fc.oneof(
      { weight: 2, arbitrary: twoNamed },
      { weight: 2, arbitrary: fc.constantFrom("[1] and [2]", "![1] or [2]", "([2] and [1])", "[2] or ([1])") },
      fc.array(token, { maxLength: 4 }).map((tokens) => `${tokens.join("")} and [1] or [2]`),
    ),
    edits: fc.array(fc.record({ at: fc.nat(), less: fc.boolean(), more: token }), { maxLength: 2 }),
  })
  .map(({ text, edits }) => {
    const tokens: string[] = text.match(/\[\d+\]| (?:and|or) |./gs) ?? [];
    for (const { at, less, more } of edits) tokens.splice(at % (tokens.length + 1), Number(less), more);
    return tokens.join("");
  });

it("exactly the strings that can be rewritten to one condition are accepted", () => {
  const counts = { taken: 0, refused: 0 };
  fc.assert(
    fc.property(almost, (text) => {
      const expected = isRule(text, [1, 2]);
      counts[expected ? "taken" : "refused"]++;
      let taken = true;
      try {
        checkAggregator(text, [1, 2]);
      } catch (error) {
        expect(error).toMatchObject({ code: "INVALID_CONDITION" });
        taken = false;
      }
      expect(taken, text).toBe(expected);
    }),
    runs,
  );
  expect(counts.taken).toBeGreaterThan(150);
  expect(counts.refused).toBeGreaterThan(200);
});

it("with unknown conditions, a rule is unknown exactly if these decide", () => {
  const truth = fc.constantFrom(true, false, undefined);
  fc.assert(
    fc.property(rules, fc.array(fc.tuple(truth, truth, truth, truth), { minLength: 8 }), (rule, outcomes) => {
      for (const outcome of outcomes) {
        const holds = (id: number) => outcome[id - 1];
        expect(evaluateRule(rule, holds)).toBe(evaluate(formatRule(rule), holds));
      }
    }),
    runs,
  );
});

const condition = (id: number): AggregatorRule => ({ kind: "condition", id });

test.each<[string, number[], AggregatorRule]>([
  ["([1] and [2])", [1, 2], { kind: "and", rules: [condition(1), condition(2)] }],
  ["([1] or [2])", [1, 2], { kind: "or", rules: [condition(1), condition(2)] }],
  ["!([1] and [2])", [1, 2], { kind: "not", rule: { kind: "and", rules: [condition(1), condition(2)] } }],
  ["[1] and [2] and [3]", [1, 2, 3], { kind: "and", rules: [condition(1), condition(2), condition(3)] }],
  [
    "[3] or [2] and [10]",
    [2, 3, 10],
    { kind: "or", rules: [condition(3), { kind: "and", rules: [condition(2), condition(10)] }] },
  ],
  ["[1] AND [2]", [1, 2], { kind: "and", rules: [condition(1), condition(2)] }],
  ["  ( [1]  or\t[1] or [2] ) ", [1, 2], { kind: "or", rules: [condition(1), condition(1), condition(2)] }],
  ["[1]", [1], condition(1)],
  ["![1]", [1], { kind: "not", rule: condition(1) }],
  ["(([7]))", [7], condition(7)],
])("%s is parsed", (text, known, rule) => {
  expect(checkAggregator(text, known)).toEqual({ aggregator: text, rule });
});

describe("refused, with the problem", () => {
  const conditions = [1, 2, 3].map((id) => ({ ...samples.native, id }));
  const first = '"(" at character 1';
  test.each<[unknown, string]>([
    [undefined, "is required with more than one condition, such as ([1] and [2])"],
    [null, "is required with more than one condition, such as ([1] and [2])"],
    ["", "is required with more than one condition, such as ([1] and [2])"],
    ["  ", "is required with more than one condition, such as ([1] and [2])"],
    [["[1] and [2]"], "must be a string"],
    [{}, "must be a string"],
    ["[1]", "must contain ' and ' or ' or '"],
    ["[1] xor [2] xor [3]", "must contain ' and ' or ' or '"],
    ["[1]and[2]or[3]", "must contain ' and ' or ' or '"],
    ["[1] && [2] || [3]", "must contain ' and ' or ' or '"],
    ["[1] and [2] and [4]", "names [4], and no condition has the id 4"],
    ["[1] and [2] and [0]", "names [0], and no condition has the id 0"],
    ["[1] and [2] and [03]", "names [03], and no condition has the id 03"],
    ["([1] and [2] and [3]", `has a bracket that is not closed: ${first}`],
    ["([1] and ([2] or [3])", `has a bracket that is not closed: ${first}`],
    ["[1] and [2] or [3])", 'has a bracket that was not opened: ")" at character 19'],
    ["[1] and [2 or [3]", 'must have a condition such as [1] in place of "[2 or [3]" at character 9'],
    ["[1] and [2] or [3", 'has a bracket that is not closed: "[3" at character 16'],
    ["[1] and [2] or", "ends where a condition such as [1] is expected"],
    ["[1] and [2] or !", "ends where a condition such as [1] is expected"],
    [" and [1] or [2]", 'must have a condition such as [1] in place of "and" at character 2'],
    ["[1] and and [2]", 'must have a condition such as [1] in place of "and" at character 9'],
    ["[1] and [2] [3]", 'must have "and" or "or" before "[3]" at character 13'],
    ["([1] and [2] [3])", 'must have "and", "or" or ")" before "[3]" at character 14'],
    ["[1] and [2] ![3]", 'must have "and" or "or" before "!" at character 13'],
    ["() and [1]", 'must have a condition such as [1] in place of ")" at character 2'],
    ["[] and [1]", 'must have a condition such as [1] in place of "[]" at character 1'],
    ["[ 1 ] and [2]", 'must have a condition such as [1] in place of "[ 1 ]" at character 1'],
    ["[1] and [x]", 'must have a condition such as [1] in place of "[x]" at character 9'],
    ["1 and 2", 'must have a condition such as [1] in place of "1" at character 1'],
    ["[1] and not [2]", 'must have a condition such as [1] in place of "not" at character 9'],
    ["[1] and [2]or [3]", 'must have spaces around "or" at character 12'],
    ["[1] and [2] or([3])", 'must have spaces around "or" at character 13'],
    ["[1] and [2] xor [3]", 'must have "and" or "or" before "xor" at character 13'],
    ["[1] and [2]; process.exit()", 'must have "and" or "or" before ";" at character 12'],
    ["[1] and [2]", "must mention every condition, and does not mention [3]"],
    [`[1] and ${"(".repeat(101)}[2]`, 'must not be nested more than 100 deep, as at "(" at character 109'],
    [`[1] and ${"!".repeat(100_000)}[2]`, 'must not be nested more than 100 deep, as at "!" at character 109'],
  ])("%.40j", async (aggregator, expected) => {
    const error = await refusal(conditions, "EVM", aggregator);
    expect(error.code).toBe("INVALID_CONDITION");
    expect(error.message).toBe(`Condition validation error: aggregator ${expected}`);
    expect(error.details).toEqual({ problems: [{ field: "aggregator", expected }] });
  });

  it.each([
    ["[2]", "names [2], and no condition has the id 2"],
    ["anything", 'must have a condition such as [1] in place of "anything" at character 1'],
  ])("%s, also with one condition", async (aggregator, expected) => {
    const { message } = await refusal([samples.native], "EVM", aggregator);
    expect(message).toBe(`Condition validation error: aggregator ${expected}`);
  });
});

it("may be nested 100 deep, and have any length", () => {
  const deep = `[1] and ${"(".repeat(100)}[2]${")".repeat(100)}`;
  expect(checkAggregator(deep, [1, 2]).rule).toEqual({ kind: "and", rules: [condition(1), condition(2)] });
  const many = Array.from({ length: 5_000 }, (_, index) => index + 1);
  const long = many.map((id) => `[${id}]`).join(" or ");
  expect(checkAggregator(long, many).rule).toEqual({ kind: "or", rules: many.map(condition) });
});

it.each([undefined, null, "", " "])("may be %o with one condition", (aggregator) => {
  expect(checkAggregator(aggregator, [9])).toEqual({ aggregator: undefined, rule: condition(9) });
});
