import { describe, expect, test } from "vitest";
import { type Attempt, next, type Sight, type State } from "../../src/payment/machine.ts";
import { type Exploration, explore } from "../support/explore.ts";
import { isPaidTwice, listTransitions, newWorld, toKey, type Variant, worldWithDisplaced } from "./machine-model.ts";

const DEPTH = 12;

const payers = [{ payer: "key" }, { payer: "wallet" }, { payer: "calls" }] as const;

function check(variant: Partial<Variant> & Pick<Variant, "payer">, world = newWorld): Exploration {
  const complete = { next, hasLock: true, acts: "not", ...variant } as const;
  return explore(world, DEPTH, (current) => listTransitions(current, complete), toKey, isPaidTwice);
}

describe.each(payers)("an order paid by a $payer", ({ payer }) => {
  test("is never paid twice, in whichever order things happen", () => {
    const { states, counterexample } = check({ payer });
    expect(counterexample).toBeUndefined();
    expect(states).toBeGreaterThan(30_000);
  });

  test.each([
    { without: "the memory of a killed process" },
    { without: "waiting for the end of a mined payment" },
  ] as const)("would be paid twice without $without", ({ without }) => {
    expect(check({ payer, next: mutants[without] }).counterexample?.at(-1)).toMatch(/^mines/);
  });

  test("would be paid twice by two processes without a lock", () => {
    expect(check({ payer, hasLock: false }).counterexample?.at(-1)).toMatch(/^mines/);
  });
});

test.each(payers)(
  "a user who speeds up, cancels or truthfully gives up pays an order by a $payer once",
  ({ payer }) => {
    const { states, counterexample } = check({ payer, acts: "truthfully" });
    expect(counterexample).toBeUndefined();
    expect(states).toBeGreaterThan(30_000);
  },
);

test("a user who gives up what the wallet did send pays twice: nothing can prevent it", () => {
  expect(check({ payer: "wallet", acts: "falsely" }).counterexample).toContain("0 gives 0 up");
});

test("a cancelled payment that is made again before the cancellation is mined would be paid twice", () => {
  const hasty: typeof next = (state, sight) =>
    next(
      state.map((attempt) => (attempt.cancelHash === undefined ? attempt : ignore(attempt))),
      sight,
    );
  expect(check({ payer: "key", acts: "truthfully", next: hasty }).counterexample?.at(-1)).toMatch(/^mines/);
});

test("a displaced payment is made again only once no reorganisation can restore it", () => {
  expect(check({ payer: "key" }, worldWithDisplaced()).counterexample).toBeUndefined();
  const hasty = check(
    { payer: "key", next: (state, sight) => next(state, { ...sight, finality: 1 }) },
    worldWithDisplaced(),
  );
  expect(hasty.counterexample).toContain("reorganises, loses x@0");
});

/** Decides as if this attempt could not be carried out any more. */
const ignore = (attempt: Attempt): Attempt => ({ ...attempt, end: attempt.end ?? "displaced" });

/** The machine without its rule: it ignores open attempts. */
const mutants = {
  "the memory of a killed process": (state: State, sight: Sight) =>
    next(
      state.map((attempt) => (attempt.attempt < sight.retryBelow ? ignore(attempt) : attempt)),
      sight,
    ),
  "waiting for the end of a mined payment": (state: State, sight: Sight) =>
    next(
      state.map((attempt, at) =>
        at < state.length - 1 || sight.seen?.outcome === "succeeded" ? ignore(attempt) : attempt,
      ),
      sight,
    ),
};
