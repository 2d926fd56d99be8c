import { readFileSync } from "node:fs";
import { transformSync } from "esbuild";
import type { Entry } from "../../../src/payment/machine.ts";
import { newWorld, type Variant, type World } from "./world.ts";

/** A rule of the machine or of the effects, without which something breaks that the model checks. */
export interface Mutant {
  without: string;
  /** The rule's text in machine.ts, and what takes its place; or the rule of the effects. */
  change: readonly [string, string] | NonNullable<Variant["without"]>;
  breaks: "twice" | "two orders" | "reported" | "without a call" | "forgotten" | "nothing was sent" | "dead end";
  variant?: Partial<Variant>;
  start?: World;
  depth?: number;
}

const source = readFileSync(new URL("../../../src/payment/machine.ts", import.meta.url), "utf8");

/** Loads the machine with another text in one place. */
export async function loadMutant([from, to]: readonly [string, string]): Promise<Variant["machine"]> {
  if (source.split(from).length !== 2) throw new Error(`machine.ts must contain this once: ${from}`);
  const { code } = transformSync(source.replace(from, to), { loader: "ts", format: "esm" });
  return import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`);
}

const coins = { isMarked: false };
const wallet = { payer: "wallet" } as const;
const honest = { faults: [] };

/** An attempt that the wallet sent nothing of. */
function startAfter(entry: Entry): World {
  const facts = { step: "pay", to: "", data: "", value: "", worstCaseFee: "", fromBlock: 0, nextNonce: 0 } as const;
  const A = [{ type: "asked", attempt: 0, ...facts } as const, entry];
  return { ...newWorld, journals: newWorld.journals.map((journal, at) => (at === 0 ? { ...journal, A } : journal)) };
}

export const mutants: readonly Mutant[] = [
  {
    without: "remembering what is paid",
    change: ["if (paid) return", "if (paid && sight.isPaid) return"],
    breaks: "twice",
    variant: { ...coins, ...honest },
  },
  {
    without: "reviewing what was paid",
    change: ["sight.isPaid ?", "true ?"],
    breaks: "reported",
    variant: { faults: ["reorganise"] },
  },
  {
    without: "settling an open payment first",
    change: ["if (payment) return payment;", ""],
    breaks: "twice",
    variant: { ...coins, ...honest },
  },
  {
    without: "waiting for an approval",
    change: ["? latest : undefined", "? undefined : undefined"],
    breaks: "dead end",
    variant: { needsApproval: true, ...honest },
  },
  {
    without: "doing what the user decides",
    change: ["if (action !== undefined)", "if (false)"],
    breaks: "dead end",
    variant: { ...wallet, ...honest },
  },
  {
    without: "stopping after a wallet failed",
    change: ["sight.failed === attempt)", "false)"],
    breaks: "without a call",
    variant: { ...wallet, ...honest },
  },
  {
    without: "asking again for an approval",
    change: ["(failure || isDelivered)) return refuse;", "false) return refuse;"],
    breaks: "dead end",
    variant: { ...wallet, needsApproval: true, ...honest },
  },
  {
    without: "silence after a rejection",
    change: ["rejected: { blocks: 1, waits: 1 }", "rejected: { blocks: 0, waits: 1 }"],
    breaks: "twice",
    variant: { ...wallet, faults: ["late"] },
    depth: 13,
  },
  {
    without: "silence after calls are not supported",
    change: ["unsupported: { blocks: 1, waits: 1 }", "unsupported: { blocks: 0, waits: 1 }"],
    breaks: "twice",
    variant: { payer: "calls", faults: ["late"] },
  },
  {
    without: "a longer silence after another error",
    change: ["unknown: { blocks: 12, waits: 5 }", "unknown: { blocks: 1, waits: 5 }"],
    breaks: "twice",
    variant: { ...wallet, faults: ["late"] },
    depth: 13,
  },
  {
    without: "asking again after silence",
    change: ["if (failure && silence && isLongSilence(silence, SILENCE[failure.kind])) return refuse;", ""],
    breaks: "dead end",
    variant: { ...wallet, ...honest, decides: false },
    start: startAfter({ type: "failed", attempt: 0, failure: "rejected", block: 0 }),
    depth: 1,
  },
  {
    without: "broadcasting what a killed process signed",
    change: ['do: isDelivered ? "look" : "deliver"', 'do: "look"'],
    breaks: "dead end",
    variant: honest,
  },
  {
    without: "confirmations",
    change: ["seen.confirmations >= confirmations ?", "true ?"],
    breaks: "reported",
    variant: { confirmations: 2, ...honest },
  },
  {
    without: "the finality of failures",
    change: ["seen.confirmations >= sight.finality", "true"],
    breaks: "twice",
    variant: { faults: ["other", "reorganise"] },
  },
  {
    without: "the node's word for what is final",
    change: ["&& seen.isFinal !== false", ""],
    breaks: "twice",
    variant: { faults: ["other", "reorganise"], saysFinal: true, finality: 1 },
  },
  {
    without: "waiting for another call after a failure",
    change: ["if (attempt >= sight.retryBelow)", "if (false)"],
    breaks: "without a call",
    variant: { faults: ["revert"] },
  },
  {
    without: "keeping what was signed",
    change: ["failure: undefined, end: undefined };", "failure: undefined, end: undefined, signed: [] };"],
    breaks: "forgotten",
    variant: { acts: true, ...honest },
  },
  {
    without: "keeping the older of two variants",
    change: ["[...before.signed, { hash, raw, isCancel }]", "[{ hash, raw, isCancel }]"],
    breaks: "forgotten",
    variant: { acts: true, ...honest },
  },
  {
    without: "opening again what the chain no longer has",
    change: [
      'case "reopened":\n      return { ...before, end: undefined };',
      'case "reopened":\n      return { ...before, end: "displaced" };',
    ],
    breaks: "twice",
    variant: { faults: ["reorganise"], reorgDepth: 2 },
  },
  {
    without: "counting what was not refused as sent",
    change: ['end !== "refused" &&', 'end === "refused" &&'],
    breaks: "nothing was sent",
    variant: honest,
  },
  { without: "a lock", change: "lock", breaks: "nothing was sent", variant: { ...wallet, ...honest } },
  { without: "the mark", change: "mark", breaks: "twice", variant: { faults: ["lose"] } },
  {
    without: "reading the nonce before the search",
    change: "nonce first",
    breaks: "twice",
    variant: { faults: ["lose"] },
  },
  {
    without: "reading the nonce after the search as well",
    change: "nonce again",
    breaks: "twice",
    variant: { faults: ["lose", "reorganise"] },
  },
  {
    without: "refusing a busy payer",
    change: "pending nonce",
    breaks: "twice",
    variant: { ...wallet, faults: ["lose"] },
  },
  {
    without: "recognising pending transactions by hash",
    change: "pending hashes",
    breaks: "twice",
    variant: { faults: ["lose"] },
  },
  {
    without: "searching for payments alike, whatever the journal knows",
    change: "known searches",
    breaks: "twice",
    variant: { ...wallet, ...coins, faults: ["lose"], maxFaults: 1 },
    start: startAfter({ type: "refused", attempt: 0 }),
  },
  {
    without: "own bytes",
    change: "own hashes",
    breaks: "two orders",
    variant: { ...coins, journals: "each", ...honest },
  },
  {
    without: "leaving others' payments to them",
    change: "others' hashes",
    breaks: "dead end",
    variant: { ...wallet, ...coins, ...honest },
    start: startAfter({ type: "given-up", attempt: 0 }),
  },
];
