import { expect, test } from "vitest";
import { check } from "./model/check.ts";

test.each(["key", "wallet", "calls"] as const)("two orders of a %s are paid once, with one fault", (payer) => {
  const { states, counterexample } = check({ payer, needsApproval: payer === "calls", maxFaults: 1 }, 9);
  expect(counterexample).toBeUndefined();
  expect(states).toBeGreaterThan(5_000);
});
