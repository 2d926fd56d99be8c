import type { PaymentAction, PaymentStep } from "./types.ts";

/** What an attempt is to do, and the state of the chain when it was made. Plain data; amounts are decimal strings. */
interface AttemptFacts {
  step: PaymentStep;
  to: string;
  data: string;
  value: string;
  /** The latest block when it was made. */
  fromBlock: number;
  /** The nonce of the payer's next transaction by then, pending ones included: an account without code sends it there. */
  nextNonce: number;
  /** The most it can cost in fees: as signed, or as the node suggested when a wallet was requested to send it. */
  worstCaseFee: string;
}

/** How a transaction ended on the chain. `displaced`: another transaction used its nonce. */
export type Outcome = "succeeded" | "reverted" | "displaced";

/** How a wallet failed: by a rejection of the user, by being unable to make several calls in one, or in any other way. */
export type Failure = "rejected" | "unsupported" | "unknown";

/**
 * What happened to a payment, in order. An entry is durable before what it describes can be seen by anyone else: a
 * transaction is recorded before it is broadcast, a request before the wallet receives it.
 */
export type Entry = {
  attempt: number;
} & ( // Again for the same attempt if it is sped up: at the same nonce, so that only one of them can be mined.
  | ({ type: "signed"; nonce: number; hash: string; raw: string } & AttemptFacts)
  /** Another transaction at the attempt's nonce is to take its place. */
  | { type: "cancelling"; hash: string; raw: string; worstCaseFee: string }
  /** With a `hash` no wallet was asked: the order's payment was found on the chain. */
  | ({ type: "asked"; callsId?: string | undefined; hash?: string; nonce?: number | undefined } & AttemptFacts)
  /** The wallet or the chain showed by which transaction the attempt is made; a wallet may change its fee. */
  | { type: "answered"; hash?: string | undefined; nonce?: number | undefined; callsId?: string | undefined }
  /** The wallet failed, at this block if a node says: it may have sent the transaction nevertheless. */
  | { type: "failed"; failure: Failure; block?: number | undefined }
  /** Nothing was sent, as far as wallet and chain show. */
  | { type: "refused" }
  /** The caller stated that the wallet sent nothing. Nothing proves it: if it is wrong, the order may be paid twice. */
  | { type: "given-up" }
  /** The chain will not change this any more. */
  | { type: "final"; outcome: Outcome; hash: string | undefined }
  /** The chain no longer has the transaction that paid. */
  | { type: "reopened" }
);

/** A transaction that was signed here. Its bytes are kept for good: any copy of them can be broadcast at any time. */
export interface SignedTransaction {
  hash: string;
  raw: string;
  /** Whether it takes the attempt's place. */
  isCancel: boolean;
}

/** One transaction of a payment, as far as it is known. */
export interface Attempt extends AttemptFacts {
  attempt: number;
  nonce?: number | undefined;
  /** Of the variant that is broadcast, or that the chain shows. */
  hash?: string | undefined;
  /** Every variant that was signed here, oldest first: one of them at most can be mined. */
  signed: readonly SignedTransaction[];
  /** By which a wallet that carries out several calls at once knows them. */
  callsId?: string | undefined;
  failure?: { kind: Failure; block?: number | undefined } | undefined;
  /** Undefined while the chain may still carry it out. */
  end?: Outcome | "refused" | "given-up" | undefined;
}

/** How long nothing is seen: in blocks, and in multiples of `missingMs`. */
type Silence = Readonly<Record<"blocks" | "waits", number>>;

/** The attempts of a payment, in order. */
export type State = readonly Attempt[];

/** What this run knows besides the entries: all of it may be out of date, and is lost with the process. */
export interface Sight {
  /** Whether this run has handed the open attempt over. */
  isDelivered: boolean;
  /** The attempt whose wallet has failed in this run. */
  failed?: number | undefined;
  /** What the chain showed of the open attempt. `isFinal`: whether the node calls the block final, if it says so. */
  seen?: { outcome: Outcome; confirmations: number; isFinal?: boolean | undefined } | undefined;
  /** For how long nonce, events and wallet have shown nothing since the wallet failed. */
  silence?: Silence | undefined;
  /** The step that the chain requires next; read after everything before it was settled. */
  needs?: PaymentStep | undefined;
  /** Whether this run has seen that the chain still has the transaction that paid. */
  isPaid?: boolean | undefined;
  /** How many blocks must confirm the payment. */
  confirmations: number;
  /** How many blocks must confirm a failure before the payment is made again: more than a reorganisation reverts. */
  finality: number;
  /** What the caller requested for the open attempt, until it is done. */
  action?: PaymentAction | undefined;
  /** Failed attempts below this number may be made again: those made before the caller requested the payment again. */
  retryBelow: number;
}

/** What to do next. Whatever interrupts it, doing it again is safe. */
export type Command =
  /** Read from the chain which step is next. */
  | { do: "check" }
  /** Make an attempt at a new nonce, and record it. */
  | { do: "start"; step: PaymentStep; attempt: number }
  /** Broadcast it, if it is signed; await the wallet, if it was asked. */
  | { do: "deliver"; attempt: Attempt }
  | { do: "look"; attempt: Attempt }
  /** Do what the caller requested, unless the chain shows the attempt. Signs only at the attempt's own nonce. */
  | { do: PaymentAction; attempt: Attempt }
  /** Read what the contract received, and record it with the end of the attempt. */
  | { do: "conclude"; attempt: Attempt }
  /** Read whether the chain still has the transaction that paid. */
  | { do: "review"; attempt: Attempt }
  | { do: "record"; entry: Entry }
  /** The payment is complete. */
  | { do: "finish" }
  /** The attempt failed, and the caller has not requested another. It is over if nothing can undo that. */
  | { do: "stop"; attempt: Attempt; reason: Outcome | Failure; isOver: boolean };

/** Reads the state of a payment from its entries. */
export function fold(entries: readonly Entry[]): State {
  const attempts: Attempt[] = [];
  for (const entry of entries) {
    const at = attempts.findIndex(({ attempt }) => attempt === entry.attempt);
    const before = attempts[at];
    if (before) attempts[at] = apply(before, entry);
    else if (entry.type === "signed" || entry.type === "asked") {
      const { type: _, ...attempt } = entry;
      const isSigned = "raw" in attempt;
      attempts.push({
        ...attempt,
        signed: isSigned ? [{ hash: attempt.hash, raw: attempt.raw, isCancel: false }] : [],
      });
    }
  }
  return attempts;
}

function apply(before: Attempt, entry: Entry): Attempt {
  switch (entry.type) {
    case "signed":
    case "cancelling": {
      const { hash, raw, worstCaseFee } = entry;
      const isCancel = entry.type === "cancelling";
      const signed = [...before.signed, { hash, raw, isCancel }];
      return { ...before, hash: isCancel ? before.hash : hash, worstCaseFee, signed };
    }
    case "answered": {
      const { hash = before.hash, nonce = before.nonce, callsId = before.callsId } = entry;
      // What was given up and turns up nonetheless is open again.
      return { ...before, hash, nonce, callsId, failure: undefined, end: undefined };
    }
    case "failed":
      return { ...before, failure: { kind: entry.failure, block: entry.block } };
    case "refused":
    case "given-up":
      return { ...before, end: entry.type };
    case "final":
      return { ...before, hash: entry.hash ?? before.hash, end: entry.outcome };
    case "reopened":
      return { ...before, end: undefined };
    case "asked":
      return before;
  }
}

/** What must pass after a wallet failed before nothing counts as sent: blocks, or time on a chain that stands still. */
export const SILENCE = {
  rejected: { blocks: 1, waits: 1 },
  unsupported: { blocks: 1, waits: 1 },
  unknown: { blocks: 12, waits: 5 },
} as const satisfies Record<Failure, Silence>;

/**
 * Decides what happens next: the only place that does. A payment is attempted again only after every earlier attempt was
 * refused, has failed for good, or was given up by the caller: until then the open one is settled, whatever happened to
 * this process. An approval pays nothing: one that failed, or that a wallet may have sent, is made again at once.
 */
export function next(state: State, sight: Sight): Command {
  const paid = state.find(({ step, end }) => step === "pay" && end === "succeeded");
  if (paid) return sight.isPaid ? { do: "finish" } : { do: "review", attempt: paid };
  const open = findOpen(state, sight);
  if (open) return settle(open, sight);
  if (sight.needs === undefined) return { do: "check" };
  return { do: "start", step: sight.needs, attempt: state.length };
}

/** The attempt to settle before another one is started: every open payment, and the latest approval until it is mined. */
function findOpen(state: State, { seen }: Sight): Attempt | undefined {
  const payment = state.find(({ step, end }) => step === "pay" && end === undefined);
  if (payment) return payment;
  const latest = state.at(-1);
  return latest?.end === undefined && seen?.outcome !== "succeeded" ? latest : undefined;
}

function settle(open: Attempt, sight: Sight): Command {
  const { isDelivered, seen, silence, confirmations, action } = sight;
  const { attempt, step, hash, failure } = open;
  const refuse: Command = { do: "record", entry: { type: "refused", attempt } };
  if (action !== undefined) return { do: action, attempt: open };
  if (failure && failure.kind !== "unsupported" && sight.failed === attempt)
    return { do: "stop", attempt: open, reason: failure.kind, isOver: false };
  if (step !== "pay" && (silence || (hash === undefined && (failure || isDelivered)))) return refuse;
  const enough = failure && SILENCE[failure.kind];
  if (enough && silence && (silence.blocks >= enough.blocks || silence.waits >= enough.waits)) return refuse;
  if (!seen) return { do: isDelivered ? "look" : "deliver", attempt: open };
  const { outcome } = seen;
  if (outcome === "succeeded") return { do: seen.confirmations >= confirmations ? "conclude" : "look", attempt: open };
  const isOver = step !== "pay" || (seen.confirmations >= sight.finality && seen.isFinal !== false);
  if (attempt >= sight.retryBelow) return { do: "stop", attempt: open, reason: outcome, isOver };
  return isOver ? { do: "record", entry: { type: "final", attempt, outcome, hash } } : { do: "look", attempt: open };
}

/** Whether a transaction of the payment may have been sent, or may still be. */
export function mayBeSent(state: State): boolean {
  return state.some(({ end, failure }) => end !== "refused" && failure?.kind !== "rejected");
}
