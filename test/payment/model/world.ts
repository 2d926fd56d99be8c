import type { Entry, fold, mayBeSent, next, Sight } from "../../../src/payment/machine.ts";

/** What each fault does is in surroundings.ts and nodes.ts. */
export type Fault = "lag" | "drop" | "lie" | "late" | "wrong hash" | "lose" | "reorganise" | "revert" | "other";

/** Rules of src/payment/run. A mutant leaves one out. */
export type Rule =
  /** ongoing-payment.ts: one run of an account at a time. */
  | "the lock"
  /** look-up-order.ts */
  | "reading nonces before the search"
  | "reading nonces after the search"
  | "comparing the block after the search"
  | "refusing a busy payer"
  | "knowing pending transactions by hash"
  | "searching for look-alikes of recorded orders"
  | "excluding known payments from look-alikes"
  /** look-up-order.ts */
  | "searching by the mark"
  /** carry-out.ts, effects.ts */
  | "confirming again in another block"
  | "broadcasting earlier attempts"
  | "refusing the hash of another payment"
  | "looking for what was given up"
  /** observe.ts */
  | "accepting own bytes only"
  | "seeing what was located"
  | "locating the same call at the nonce"
  | "searching by the mark once the nonce is used"
  | "leaving known hashes to their payments"
  | "leaving what two requests may have made"
  | "ignoring others' payments in silence";

/** What is checked: the machine, or a changed one, and what surrounds it. */
export interface Variant {
  machine: { next: typeof next; fold: typeof fold; mayBeSent: typeof mayBeSent };
  without?: Rule;
  /** `calls`: a wallet that approves and pays in one transaction, which is known by an id at first. */
  payer: "key" | "wallet" | "calls";
  /** Whether payments carry the order's mark; those in coins do not. */
  isMarked: boolean;
  /** Whether the contract must be allowed to take the token first; each payment uses that up. */
  needsApproval: boolean;
  /** `each`: two processes, which have an order and a journal each. `copied`: the same order. */
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
  saysFinal: boolean;
  maxHeight: number;
  maxAttempts: number;
  /** Whether the user decides whatever the order's errors name, true or not. */
  decides: boolean;
  /** Whether the wallet carries out all requests. */
  isWilling: boolean;
}

export type Order = "A" | "B";

/** What a node showed before the next attempt, and which node that is. */
export interface Account {
  mined: number;
  pending: number;
  block: number;
  view: string;
  /** Whether it was searched for the order since. */
  isSearched: boolean;
  /** What identifies the block, and all before it. */
  hash: string;
  /** Whether approvals are missing, which a wallet may make together with the payment. */
  isBatch?: boolean;
}

/** One call for an order by a process. Whether the process is killed makes no difference: it need not continue. */
export interface Run {
  order: Order;
  journal: number;
  /** As the record in the journal was when the run took the lock, and what it recorded since. */
  entries: readonly Entry[];
  /** The first attempt of its own. */
  first: number;
  sight: Sight;
  /** Whether the chain is not searched for the order. */
  isBlind: boolean;
  account?: Account | undefined;
  /** The block of the transaction that it saw. */
  block?: number;
  /** The request in the wallet's window, and what the wallet said. */
  awaits?: string | undefined;
  answer?: string | undefined;
}

/**
 * What a wallet was requested: `<order>r<number>`. `late`: the wallet has failed, at this height, and will send it all the
 * same. `made`: the transaction of several calls.
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
  /** Length of the longest chain so far. */
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
  wrong?: Wrong;
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

/** The same for worlds that have the same future. What did not change is the same object, and written once. */
export function toKey({ journals, runs, requests, chain, fork, pool, forgotten, reported, ...rest }: World): string {
  const parts: object[] = [...journals.flatMap(({ A, B }) => [A, B]), requests, chain, fork, pool, forgotten, reported];
  for (const run of runs) if (run) parts.push(run);
  return `${parts.map(toText).join("|")}|${JSON.stringify(rest)}|${runs[0] === undefined}`;
}

export const orders = ["A", "B"] as const;
export const getNonce = (id: string): number => Number(id[2]);
/** Of a transaction, or of its block. */
export const isPayment = (id: string): boolean => /^.[pb]/.test(id);
export const isPaid = (block: string): boolean => isPayment(block) && block.endsWith("+");
export const without = <T>(list: readonly T[], item: T): T[] => list.filter((other) => other !== item);
export const add = (list: readonly string[], id: string): readonly string[] =>
  list.includes(id) ? list : [...list, id].sort();

/** What must not be in any state. */
export type Wrong =
  | "an order is paid twice"
  | "one payment is reported for two orders"
  | "it is reported as paid, and is not"
  | "it is reported as failed for good, and is paid"
  | "it pays again without a call"
  | "signed bytes are forgotten"
  | "it says that nothing was sent, and something was"
  | "it says that something may be sent, and the wallet rejected it";

export function findWrong(world: World, { machine, journals }: Variant): Wrong | undefined {
  if (world.wrong !== undefined) return world.wrong;
  const sent = [...world.chain, ...world.pool].filter(isPayment);
  const requested = world.requests.filter(({ state, step }) => state !== "dropped" && step !== "a");
  for (const order of orders) {
    if (world.chain.filter((block) => block[0] === order && isPaid(block)).length > 1) return "an order is paid twice";
    for (const { [order]: entries } of world.journals) {
      if (entries.length === 0) continue;
      const state = machine.fold(entries);
      const kept = state.flatMap(({ signed }) => signed.map(({ raw }) => raw));
      if (entries.some((entry) => "raw" in entry && !kept.includes(entry.raw))) return "signed bytes are forgotten";
      if (machine.mayBeSent(state)) continue;
      const isSent = [...sent, ...requested.map(({ id }) => id)].some((id) => id[0] === order);
      const isKnown = state.some(({ hash, end }) => end === undefined && sent.some((id) => id.slice(0, 4) === hash));
      if (isKnown || (isSent && world.faults === 0 && journals !== "copied"))
        return "it says that nothing was sent, and something was";
    }
  }
  return undefined;
}
