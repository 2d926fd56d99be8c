import fc from "fast-check";
import { expect, it } from "vitest";
import { isKeeplightError } from "../../src/base/errors/base.ts";
import { checkConditions } from "../../src/keys/conditions/check-conditions.ts";
import { changes, invalidValues, lists } from "./condition-models.ts";
import { judgeList } from "./condition-oracle.ts";

const runs = { numRuns: 1_000 };

function check(conditions: unknown, aggregator: unknown, chainType: unknown) {
  try {
    return { conditions: checkConditions(conditions, aggregator, chainType).conditions };
  } catch (error) {
    if (!isKeeplightError(error)) throw error;
    return { code: error.code, message: error.message, problems: error.details["problems"] };
  }
}

it("returns valid conditions unchanged, and does not modify them", () => {
  fc.assert(
    fc.property(lists, ({ chainType, conditions, aggregator }) => {
      const before = structuredClone(conditions);
      expect(check(conditions, aggregator, chainType)).toEqual({ conditions: before });
      expect(conditions).toEqual(before);
    }),
    runs,
  );
});

it("accepts conditions that were serialized as JSON", () => {
  fc.assert(
    fc.property(lists, ({ chainType, conditions, aggregator }) => {
      const first = check(conditions, aggregator, chainType).conditions;
      const wired: unknown = JSON.parse(JSON.stringify(first));
      expect(check(wired, aggregator, chainType)).toEqual({ conditions: wired });
    }),
    runs,
  );
});

it("names the condition and the field when a required field is removed or invalid", () => {
  const required = ["id", "chain", "method", "returnValueTest"];
  fc.assert(
    fc.property(
      lists,
      fc.nat(),
      fc.constantFrom(...required),
      invalidValues,
      ({ chainType, conditions, aggregator }, at, field, to) => {
        const position = at % conditions.length;
        const broken = conditions.map((condition, other) =>
          other === position ? { ...condition, [field]: to } : condition,
        );
        const { code, message, problems } = check(broken, aggregator, chainType);
        expect(code).toBe("INVALID_CONDITION");
        expect(message).toMatch(/^Condition validation error: /);
        const named = (problems as { position: number; field: string }[]).map((problem) => [
          problem.position,
          problem.field.split(".")[0],
        ]);
        expect(named).toContainEqual([position, field]);
      },
    ),
    runs,
  );
});

it("accepts exactly what the rules accept, in the canonical case of the types, and names every invalid field", () => {
  const cases = fc.record({
    list: lists,
    edits: fc.array(changes, { maxLength: 3 }),
    shape: fc.constantFrom<(type: string) => unknown>(
      (type) => type,
      (type) => type.toLowerCase(),
      (type) => (type === "EVM" ? null : type),
      (type) => (type === "EVM" ? "" : type),
    ),
  });
  const counts = { taken: 0, refused: 0 };
  fc.assert(
    fc.property(cases, ({ list, edits, shape }) => {
      const conditions: Record<string, unknown>[] = list.conditions.map((condition) => ({ ...condition }));
      for (const { position, field, to, drop } of edits) {
        const condition = conditions[position % conditions.length];
        if (condition && drop) delete condition[field];
        else if (condition) condition[field] = to;
      }
      const { wrong, sent } = judgeList(list.chainType, conditions);
      counts[wrong.length > 0 ? "refused" : "taken"]++;
      const aggregator = conditions.map(({ id }) => `[${String(id)}]`).join(" and ");
      const found = check(conditions, aggregator, shape(list.chainType));
      if (wrong.length === 0) expect(found).toEqual({ conditions: sent });
      else expect({ code: found.code, wrong: fieldsIn(found.problems) }).toEqual({ code: "INVALID_CONDITION", wrong });
    }),
    runs,
  );
  expect(counts.taken).toBeGreaterThan(250);
  expect(counts.refused).toBeGreaterThan(250);
});

/** Each problem as `position.field`. */
function fieldsIn(problems: unknown): string[] {
  const list = problems as { position: number; field: string }[];
  return [...new Set(list.map(({ position, field }) => `${position}.${field.split(/[.[]/)[0]}`))].sort();
}

it("any input is accepted or refused with INVALID_CONDITION", () => {
  const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true });
  const almost = lists.chain(({ conditions }) =>
    fc.array(fc.oneof(fc.constantFrom(...conditions), anything), { maxLength: 3 }),
  );
  fc.assert(
    fc.property(
      fc.oneof(almost, anything),
      fc.oneof(fc.constant("[1] and [2]"), anything),
      (conditions, aggregator) => {
        const { code } = check(conditions, aggregator, "EVM");
        expect([undefined, "INVALID_CONDITION"]).toContain(code);
      },
    ),
    runs,
  );
});
