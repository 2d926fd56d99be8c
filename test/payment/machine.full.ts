import { describe, expect, test } from "vitest";
import { check, findDeadEnd } from "./model/check.ts";
import { type Mutant, mutants, mutate } from "./model/mutants.ts";
import type { Variant } from "./model/world.ts";

/** Steps of two orders; each may be any of a process, the chain, the wallet, or a fault. */
const DEPTH = Number(process.env["KEEPLIGHT_MODEL_DEPTH"] ?? 7);

/** From one of so many states it is tried whether the orders can still be paid. */
const SAMPLE_EVERY = Number(process.env["KEEPLIGHT_MODEL_SAMPLE"] ?? 1_009);

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
  "a wallet, by two journals": { ...wallet, ...each },
  "a wallet whose user gives up": { ...wallet, acts: true },
  "a wallet whose user gives up, in coins": { ...wallet, ...coins, acts: true },
  "a wallet of several calls": calls,
  "a wallet of several calls, by two journals": { ...calls, ...each },
  "a key, with reorganisations deeper than finality": { ...key, reorgDepth: 3, faults: ["reorganise", "lag", "drop"] },
};

describe.each(Object.entries(variants))("two orders paid by %s", (_, variant) => {
  test("hold all properties, in whichever order things happen", () => {
    expect(
      check({ ...variant, maxFaults: 1 }, variant.acts && variant.payer === "key" ? DEPTH - 1 : DEPTH).counterexample,
    ).toBeUndefined();
  });

  // Coins whose journal is rolled back end in ORDER_UNCERTAIN, which a person has to decide.
  if (variant.payer !== "key" || variant.isMarked !== false) {
    test("have no dead end", () => {
      expect(findDeadEnd({ ...variant, maxFaults: 1 }, 8, SAMPLE_EVERY, 2_000)).toBeUndefined();
    });
  }
});

function findBreach(variant: Partial<Variant>, { breaks, start, depth }: Mutant): string | undefined {
  if (breaks !== "an order is never paid") return check(variant, depth ?? 11, undefined, start).counterexample?.wrong;
  return findDeadEnd(variant, start ? 1 : 7, start ? 1 : 12, 500, start) && breaks;
}

/** What the machine as it is breaks: several rules are left out of the same variant. */
const unchanged = new Map<string, string | undefined>();

function findOwnBreach({ variant, breaks, start, depth }: Mutant): string | undefined {
  const mutant = { without: "", variant, breaks, ...(start && { start }), ...(depth && { depth }) };
  const key = JSON.stringify({ ...mutant, breaks: breaks === "an order is never paid" });
  if (!unchanged.has(key)) unchanged.set(key, findBreach(variant, mutant));
  return unchanged.get(key);
}

describe.each(mutants)("without $without", (mutant) => {
  test(`it breaks: ${mutant.breaks}`, async () => {
    expect(findBreach(await mutate(mutant), mutant)).toBe(mutant.breaks);
  });

  test("only by that", () => {
    expect(findOwnBreach(mutant)).toBeUndefined();
  });
});
