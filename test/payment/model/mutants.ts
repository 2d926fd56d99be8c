import { readFileSync } from "node:fs";
import { transformSync } from "esbuild";
import type { Entry, Failure } from "../../../src/payment/machine.ts";
import { newWorld, type Rule, type Variant, type World, type Wrong } from "./world.ts";

/** What breaks without a rule, in which variant, and from where. */
interface Breach {
  breaks: Wrong | "an order is never paid";
  variant: Partial<Variant>;
  start?: World;
  depth?: number;
}

/** A rule of the machine or of the effects, without which something breaks that the model checks. */
export interface Mutant extends Breach {
  without: string;
  /** Of a rule of the machine: its text, and what takes its place. */
  text?: readonly [string, string];
}

const source = readFileSync(new URL("../../../src/payment/machine.ts", import.meta.url), "utf8");

/** Loads the machine with another text in one place. */
async function loadMachine([from, to]: readonly [string, string]): Promise<Variant["machine"]> {
  if (source.split(from).length !== 2) throw new Error(`machine.ts must contain this once: ${from}`);
  const { code } = transformSync(source.replace(from, to), { loader: "ts", format: "esm" });
  return import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`);
}

export async function mutate({ without, text, variant }: Mutant): Promise<Partial<Variant>> {
  return text ? { ...variant, machine: await loadMachine(text) } : { ...variant, without: without as Rule };
}

/** Starts with these entries of the first journal, and this chain. */
function startFrom(A: readonly Entry[], chain: readonly string[] = [], B: readonly Entry[] = []): World {
  return {
    ...newWorld,
    journals: [
      { A, B },
      { A: [], B: [] },
    ],
    chain,
    height: chain.length,
  };
}

/** While the run that made the attempts of A continues. */
function whileRunning(world: World): World {
  const entries = world.journals[0]?.A ?? [];
  const sight = { isDelivered: true, confirmations: 1, finality: 2, retryBelow: 0 };
  return { ...world, runs: [{ order: "A", journal: 0, entries, first: 0, sight, isBlind: false }, undefined] };
}

const facts = { attempt: 0, to: "", value: "", worstCaseFee: "", fromBlock: 0, nextNonce: 0 } as const;
const asked = { ...facts, type: "asked", step: "pay", data: "p" } as const;
const askedToApprove = { ...asked, step: "approve", data: "a" } as const;
const signed = (hash: string, more: object = {}) =>
  ({ ...facts, type: "signed", step: "pay", data: "pA", nonce: 0, hash, raw: hash, ...more }) as const;
const answered = (hash: string, nonce?: number) => ({ attempt: 0, type: "answered", hash, nonce }) as const;
const paid = (hash: string) => ({ attempt: 0, type: "final", outcome: "succeeded", hash, block: 0 }) as const;
const rejected = { attempt: 0, type: "failed", failure: "rejected", block: 0 } as const;
const givenUp = { attempt: 0, type: "given-up" } as const;
const refused = { attempt: 0, type: "refused" } as const;

const honest: Partial<Variant> = { faults: [] };
const coins: Partial<Variant> = { ...honest, isMarked: false };
const wallet: Partial<Variant> = { ...honest, payer: "wallet" };
const walletCoins: Partial<Variant> = { ...coins, payer: "wallet" };
const approvals: Partial<Variant> = { ...honest, needsApproval: true };
const walletApprovals: Partial<Variant> = { ...wallet, needsApproval: true };
const calls: Partial<Variant> = { ...approvals, payer: "calls" };
const displacing: Partial<Variant> = { faults: ["other", "reorganise"] };
const copied: Partial<Variant> = { ...honest, journals: "copied" };
/** The user decides nothing. */
const alone = { decides: false };

const twice = "an order is paid twice";
const never = "an order is never paid";
const nothingSent = "it says that nothing was sent, and something was";
const withoutCall = "it pays again without a call";
const forgotten = "signed bytes are forgotten";
const notPaid = "it is reported as paid, and is not";
const failed = "it is reported as failed for good, and is paid";
const mayBeSent = "it says that something may be sent, and the wallet rejected it";
const twoOrders = "one payment is reported for two orders";

/** A wallet has failed, and sends the payment nevertheless: one block after a rejection is one too late. */
function lateAfter(failure: Failure): World {
  const isCalls = failure === "unsupported";
  const entry = isCalls ? { ...asked, data: "pA", callsId: "Ara" } : asked;
  const at = failure === "unknown" ? 0 : -1;
  const requests = [{ id: "Ara", state: "late", step: isCalls ? "b" : "p", at } as const];
  return { ...startFrom([entry, { ...rejected, failure }]), requests, faults: 1 };
}

const of = (variant: Partial<Variant>, breaks: Breach["breaks"], more: Partial<Breach> = {}): Breach => ({
  variant,
  breaks,
  ...more,
});

/** Another transaction has the nonce of what was signed, and has not been broadcast yet. */
const displaced = { start: startFrom([signed("Ap0a")], ["xo0a+"]), depth: 9 };

const reopened = 'case "reopened":\n      return { ...before, end: undefined };';
const answers = "return { ...before, hash, nonce, callsId, failure: undefined, end: undefined };";

/** Texts of machine.ts, and what takes their place. */
const machineRules: Readonly<Record<string, readonly [string, string, Breach]>> = {
  "remembering what is paid": ["if (paid) return", "if (paid && sight.isPaid) return", of(coins, twice)],
  "reviewing what was paid": ["sight.isPaid ?", "true ?", of({ faults: ["reorganise"] }, notPaid)],
  "settling an open payment first": ["if (payment) return payment;", "", of(coins, twice)],
  "waiting for an approval": ["? latest : undefined", "? undefined : undefined", of(approvals, never)],
  "doing what the user decides": ["if (action !== undefined)", "if (false)", of(wallet, never)],
  "stopping after a wallet failed": ["sight.failed === attempt)", "false)", of(wallet, withoutCall)],
  "asking again for an approval": [
    'if (step !== "pay" && (silence',
    "if (false && (silence",
    // One approval serves both orders.
    of(walletApprovals, never, { start: startFrom([askedToApprove], [], [askedToApprove]) }),
  ],
  "silence after a rejection": [
    "rejected: { blocks: 1,",
    "rejected: { blocks: 0,",
    of(walletCoins, twice, { start: lateAfter("rejected") }),
  ],
  "silence after calls fail": [
    "unsupported: { blocks: 1,",
    "unsupported: { blocks: 0,",
    of(calls, twice, { start: lateAfter("unsupported") }),
  ],
  "silence after another error": [
    "unknown: { blocks: 12,",
    "unknown: { blocks: 1,",
    of(walletCoins, twice, { start: lateAfter("unknown") }),
  ],
  "asking again after silence": [
    "if (enough && silence &&",
    "if (false && silence &&",
    of({ ...wallet, ...alone }, never, { start: startFrom([asked, rejected]) }),
  ],
  "broadcasting what was signed": ['do: isDelivered ? "look" : "deliver"', 'do: "look"', of(honest, never)],
  confirmations: ["seen.confirmations >= confirmations ?", "true ?", of({ ...honest, confirmations: 2 }, notPaid)],
  "the finality of failures": ["seen.confirmations >= sight.finality", "true", of(displacing, twice, displaced)],
  "what nodes call final": [
    "&& seen.isFinal !== false",
    "",
    of({ ...displacing, saysFinal: true, finality: 1 }, twice, displaced),
  ],
  "waiting for another call": [
    "if (attempt >= sight.retryBelow)",
    "if (false)",
    of({ faults: ["revert"] }, withoutCall),
  ],
  "keeping what was signed": [
    answers,
    answers.replace("{", "{ signed: [],").replace("signed: [], ...before", "...before, signed: []"),
    of({ ...honest, acts: true }, forgotten),
  ],
  "keeping the older variant": ["[...before.signed, {", "[{", of({ ...honest, acts: true }, forgotten)],
  "forgetting a failure": [
    answers,
    answers.replace("failure: undefined,", ""),
    of({ ...wallet, faults: ["lie"] }, nothingSent),
  ],
  "opening what was given up": [
    answers,
    answers.replace(", end: undefined", ""),
    of(walletCoins, never, { start: startFrom([asked, givenUp], ["Ap0a+"]) }),
  ],
  "opening what was paid": [
    reopened,
    reopened.replace("undefined", '"displaced"'),
    of({ faults: ["reorganise"], reorgDepth: 2 }, twice, {
      start: startFrom([signed("Ap0a")], ["Ap0a+"]),
      depth: 10,
    }),
  ],
  "counting what was not refused": ['end !== "refused" &&', 'end === "refused" &&', of(honest, nothingSent)],
  "counting no rejection": ['&& failure?.kind !== "rejected"', "", of(wallet, mayBeSent)],
};

const rules: Readonly<Record<Rule, Breach>> = {
  "the lock": of(wallet, nothingSent),
  "reading nonces before the search": of(copied, twice),
  "reading nonces after the search": of({ ...copied, faults: ["reorganise"] }, twice, { depth: 10 }),
  "comparing the block after the search": of({ ...copied, faults: ["reorganise"] }, twice, { depth: 10 }),
  "refusing a busy payer": of({ ...wallet, faults: ["lose"] }, twice),
  "knowing pending transactions by hash": of({ faults: ["lose"] }, twice, { depth: 14 }),
  "searching for look-alikes of recorded orders": of({ ...walletCoins, faults: ["lose"] }, twice, {
    start: startFrom([asked, refused]),
  }),
  "excluding known payments from look-alikes": of({ ...coins, ...alone }, never, {
    start: startFrom([signed("Ap0a"), paid("Ap0a")], ["Ap0a+"]),
  }),
  "searching by the mark": of({ faults: ["lose"] }, twice),
  "confirming again in another block": of(
    { faults: ["reorganise"], confirmations: 2, reorgDepth: 2, finality: 3 },
    notPaid,
    { depth: 12 },
  ),
  "broadcasting earlier attempts": of({ ...approvals, ...alone }, never, {
    start: startFrom(
      [signed("Aa1a", { step: "approve", data: "a", nonce: 1 }), signed("Ap2a", { attempt: 1, nonce: 2 })],
      ["Bb0a+"],
      [signed("Bb0a"), paid("Bb0a")],
    ),
  }),
  "refusing the hash of another payment": of(walletCoins, twoOrders, {
    start: startFrom([asked, answered("Ap0a", 0)], ["Bp0a+"], [asked, paid("Bp0a")]),
  }),
  "looking for what was given up": of({ ...walletCoins, ...alone }, never, {
    start: startFrom([asked, givenUp], ["Ap0a+"]),
  }),
  "accepting own bytes only": of({ ...coins, journals: "each" }, twoOrders),
  "seeing what was located": of({ ...copied, ...alone }, never, { start: startFrom([signed("Ap0a")], ["Ap0b+"]) }),
  "locating the same call at the nonce": of({ ...walletCoins, ...alone }, never, {
    start: startFrom([asked, answered("Ap0a", 0)], ["Ap0b+"]),
  }),
  "searching by the mark once the nonce is used": of(copied, failed, {
    start: whileRunning(startFrom([signed("Ap0a")], ["xo0a+", "Ap1b+"])),
  }),
  "leaving known hashes to their payments": of(walletCoins, never, {
    start: startFrom([asked], ["Bp0a+"], [asked, paid("Bp0a")]),
  }),
  "leaving what two requests may have made": of(walletCoins, nothingSent, {
    start: startFrom([asked], ["Bp0a+", "", ""], [asked, { ...rejected, failure: "unknown" }]),
  }),
  "ignoring others' payments in silence": of({ ...walletCoins, ...alone }, never, {
    start: startFrom([asked, rejected], ["Bp0a+"], [asked, paid("Bp0a")]),
  }),
};

export const mutants: readonly Mutant[] = [
  ...Object.entries(machineRules).map(([without, [from, to, breach]]) => ({
    without,
    text: [from, to] as const,
    ...breach,
  })),
  ...Object.entries(rules).map(([without, breach]) => ({ without, ...breach })),
];
