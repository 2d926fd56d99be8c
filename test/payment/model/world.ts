import type { Entry, fold, mayBeSent, next, Sight } from "../../../src/payment/machine.ts";

/** What each fault does is in surroundings.ts and views.ts. */
export type Fault = "lag" | "drop" | "lie" | "late" | "wrong hash" | "lose" | "reorganise" | "revert" | "other";

/** What is checked: the machine, or one without a rule, and what surrounds it. */
export interface Variant {
  machine: { next: typeof next; fold: typeof fold; mayBeSent: typeof mayBeSent };
  /** A rule of the effects that is left out. */
  without?:
    | "nonce first"
    | "nonce again"
    | "pending nonce"
    | "pending hashes"
    | "known searches"
    | "mark"
    | "unanswered"
    | "own hashes"
    | "others' hashes"
    | "lock"
    | undefined;
  /** `calls`: a wallet that makes several calls in one transaction, which is known by an id at first. */
  payer: "key" | "wallet" | "calls";
  /** Whether payments carry the order's mark; those in coins do not. */
  isMarked: boolean;
  /** Whether the contract must be allowed to take the token first; each payment uses that up. */
  needsApproval: boolean;
  /** `each`: two processes, which have an order and a journal each. `copied`: of the same order. */
  journals: "common" | "each" | "copied";
  /** Whether the user speeds up and cancels, or gives up what was indeed not sent. */
  acts: boolean;
  faults: readonly Fault[];
  maxFaults: number;
  /** How many blocks a reorganisation removes. */
  reorgDepth: number;
  confirmations: number;
  finality: number;
  /** Whether nodes say which block is final. */
  saysFinal?: boolean;
  maxHeight: number;
  maxAttempts: number;
  /** Whether the user decides whatever the order's errors name, true or not. */
  decides: boolean;
}

export type Order = "A" | "B";

/** One call for an order by a process. Whether the process is killed makes no difference: it need not go on. */
export interface Run {
  order: Order;
  journal: number;
  /** As the record in the journal was when it took the lock, and what it recorded since. */
  entries: readonly Entry[];
  /** The first attempt of its own. */
  first: number;
  sight: Sight;
  /** Whether the events are not searched. */
  isBlind: boolean;
  /** What its node showed before the search: the nonces, the block, and which node that is. */
  account?: { mined: number; pending: number; block: number; view: string; found?: string | undefined } | undefined;
  /** The request in the wallet's window, and what the wallet said. */
  awaits?: string | undefined;
  answer?: string | undefined;
}

/**
 * What a wallet was requested: `<order>r<number>`. `late`: the wallet has failed, at this block, and will send it all the
 * same; `made`: the transaction of several calls.
 */
export interface Request {
  id: string;
  state: "open" | "late" | "accepted" | "made" | "dropped";
  step: string;
  at?: number;
  made?: string;
}

/**
 * A transaction is `<order><step><nonce><variant>`; steps are `p` pay, `b` approve and pay in one, `a` approve, `c` cancel
 * and `o` any other. A block has one and its success, `+` or `-`, or is empty.
 */
export interface World {
  journals: readonly Readonly<Record<Order, readonly Entry[]>>[];
  runs: readonly (Run | undefined)[];
  chain: readonly string[];
  /** The chain before the last reorganisation, which some nodes still show. */
  fork: readonly string[];
  /** The longest chain so far. */
  height: number;
  /** What nodes know and have not mined, and what they have forgotten. */
  pool: readonly string[];
  forgotten: readonly string[];
  requests: readonly Request[];
  /** By which transaction each order was reported as paid. */
  reported: Readonly<Partial<Record<Order, string>>>;
  faults: number;
  hasLostJournal: boolean;
  /** What was done that must not be. */
  wrong?: string;
}

const empty = { A: [], B: [] };
export const newWorld: World = {
  journals: [empty, empty],
  runs: [undefined, undefined],
  chain: [],
  fork: [],
  height: 0,
  pool: [],
  forgotten: [],
  requests: [],
  reported: {},
  faults: 0,
  hasLostJournal: false,
};

const texts = new WeakMap<object, string>();
function toText(value: object): string {
  const text = texts.get(value) ?? JSON.stringify(value);
  texts.set(value, text);
  return text;
}

export function toKey(world: World): string {
  const { journals, runs, chain, fork, height, pool, forgotten, requests, reported, faults, hasLostJournal } = world;
  const parts = journals.flatMap(({ A, B }) => [toText(A), toText(B)]);
  for (const run of runs) {
    if (run) {
      const { entries, ...rest } = run;
      parts.push(toText(entries), JSON.stringify(rest));
    } else parts.push("");
  }
  parts.push(chain.join(), fork.join(), pool.join(), forgotten.join(), toText(requests));
  return `${parts.join("|")}|${height}|${reported.A}|${reported.B}|${faults}|${hasLostJournal}|${world.wrong}`;
}

export const getNonce = (id: string): number => Number(id[2]);
export const isPayment = (id: string): boolean => /^.[pb]/.test(id);
export const without = <T>(list: readonly T[], item: T): T[] => list.filter((other) => other !== item);
export const add = (list: readonly string[], id: string): readonly string[] =>
  list.includes(id) ? list : [...list, id].sort();

/** Names what must not be in any state. */
export function findWrong(world: World, { machine }: Variant): string | undefined {
  if (world.wrong !== undefined) return world.wrong;
  const paid = world.chain.filter((block) => block !== "" && isPayment(block) && block.endsWith("+"));
  for (const order of ["A", "B"] as const) {
    if (paid.filter((block) => block[0] === order).length > 1) return "an order is paid twice";
  }
  for (const journal of world.journals) {
    for (const order of ["A", "B"] as const) {
      const entries = journal[order];
      if (entries.length === 0) continue;
      const state = machine.fold(entries);
      const kept = state.flatMap(({ signed }) => signed.map(({ raw }) => raw));
      if (entries.some((entry) => "raw" in entry && !kept.includes(entry.raw))) return "signed bytes are forgotten";
      if (world.faults > 0 || machine.mayBeSent(state)) continue;
      const requests = world.requests.filter(({ state, step }) => state !== "dropped" && step !== "a");
      const sent = [...[...world.chain, ...world.pool].filter(isPayment), ...requests.map(({ id }) => id)];
      if (sent.some((id) => id[0] === order)) return "it says that nothing was sent, and something was";
    }
  }
  return undefined;
}
