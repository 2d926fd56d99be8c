import { describe, expect, test } from "vitest";
import { check, findDeadEnds } from "./model/check.ts";
import { loadMutant, mutants } from "./model/mutants.ts";
import type { Variant } from "./model/world.ts";

/** Steps of two orders; each may be any of a process, the chain, the wallet, or a fault. */
const DEPTH = 14;

const coins = { isMarked: false };
const key = { payer: "key" } as const;
const wallet = { payer: "wallet" } as const;
const calls = { payer: "calls", needsApproval: true } as const;
const each = { journals: "each" } as const;

const variants: Record<string, Partial<Variant>> = {
  "a key": key,
  "a key, in coins": { ...key, ...coins },
  "a key, with approvals": { ...key, needsApproval: true },
  "a key, by two journals": { ...key, ...each },
  "a key, in coins by two journals": { ...key, ...coins, ...each },
  "a key, by a copied journal": { ...key, journals: "copied" },
  "a key that speeds up and cancels": { ...key, acts: true },
  "a wallet": wallet,
  "a wallet, in coins": { ...wallet, ...coins },
  "a wallet, with approvals": { ...wallet, needsApproval: true },
  "a wallet whose user gives up": { ...wallet, acts: true },
  "a wallet of several calls": calls,
  "a wallet of several calls, by two journals": { ...calls, ...each },
  "a key, with reorganisations deeper than finality": { ...key, reorgDepth: 3, faults: ["reorganise", "lag", "drop"] },
};

describe.each(Object.entries(variants))("two orders paid by %s", (_, variant) => {
  test("hold all properties, in whichever order things happen", () => {
    expect(check({ ...variant, maxFaults: 1 }, DEPTH).counterexample).toBeUndefined();
  });

  test("have no dead end", () => {
    expect(findDeadEnds({ ...variant, maxFaults: 1 }, 7, 101).deadEnds).toEqual([]);
  });
});

const messages = {
  twice: "an order is paid twice",
  "two orders": "one payment is reported for two orders",
  reported: "it is reported as paid, and is not",
  "without a call": "it pays again without a call",
  forgotten: "signed bytes are forgotten",
  "nothing was sent": "it says that nothing was sent, and something was",
};

test.each(mutants)("without $without, it breaks: $breaks", async ({ change, breaks, variant, start, depth }) => {
  const mutated = typeof change === "string" ? { without: change } : { machine: await loadMutant(change) };
  const changed = { ...variant, ...mutated };
  if (breaks === "dead end")
    expect(findDeadEnds(changed, depth ?? (start ? 5 : 7), start ? 1 : 12, start).deadEnds).toHaveLength(1);
  else expect(check(changed, depth ?? 11, undefined, start).counterexample?.wrong).toBe(messages[breaks]);
});
