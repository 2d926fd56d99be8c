import type { PaymentAction, PaymentStep } from "./types.ts";

/** What an attempt is to do, and the state of the chain when it was made. Plain data; amounts are decimal strings. */
interface AttemptFacts {
  step: PaymentStep;
  to: string;
  data: string;
  value: string;
  /** The latest block when it was made. */
  fromBlock: number;
  /** How many transactions of the payer were mined by then. */
  noncesUsed: number;
  /** The most it can cost in fees: as signed, or as the node suggested when a wallet was requested to send it. */
  worstCaseFee: string;
}

/** How a transaction ended on the chain. `displaced`: another transaction used its nonce. */
export type Outcome = "succeeded" | "reverted" | "displaced";

/**
 * What happened to a payment, in order. An entry is durable before what it describes can be seen by anyone else: a
 * transaction is recorded before it is broadcast, a request before the wallet receives it.
 */
export type Entry =
  /** Again for the same attempt if it is sped up: at the same nonce, so that only one of them can be mined. */
  | ({ type: "signed"; attempt: number; nonce: number; hash: string; raw: string } & AttemptFacts)
  /** Another transaction at the attempt's nonce is to take its place. */
  | { type: "cancelling"; attempt: number; hash: string; raw: string; worstCaseFee: string }
  /** `callsId`: by which a wallet that carries out several calls at once knows them. */
  | ({ type: "asked"; attempt: number; callsId?: string | undefined } & AttemptFacts)
  /** The wallet or the chain showed by which transaction the attempt is made; a wallet may change its fee. */
  | {
      type: "answered";
      attempt: number;
      hash?: string | undefined;
      nonce?: number | undefined;
      callsId?: string | undefined;
    }
  /** The wallet certainly sent nothing. */
  | { type: "refused"; attempt: number }
  /** The caller stated that the wallet sent nothing. Nothing proves it: if it is wrong, the order may be paid twice. */
  | { type: "given-up"; attempt: number }
  /** The chain will not change this any more. */
  | { type: "final"; attempt: number; outcome: Outcome; hash: string | undefined };

/** One transaction of a payment, as far as it is known. */
export interface Attempt extends AttemptFacts {
  attempt: number;
  nonce?: number | undefined;
  hash?: string | undefined;
  /** The signed transaction in hex, or the one that is to take its place. */
  raw?: string | undefined;
  /** Hash of the transaction that is to take its place. */
  cancelHash?: string | undefined;
  callsId?: string | undefined;
  /** Undefined while the chain may still carry it out. */
  end?: Outcome | "refused" | "given-up" | undefined;
}

/** The attempts of a payment, in order. */
export type State = readonly Attempt[];

/** What this run knows besides the entries: all of it may be out of date, and is lost with the process. */
export interface Sight {
  /** Whether this run has handed the open attempt over. */
  isDelivered: boolean;
  /** What the chain showed of the open attempt. */
  seen?: { outcome: Outcome; confirmations: number } | undefined;
  /** The step that the chain requires next; read after everything before it was settled. */
  needs?: PaymentStep | undefined;
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
  | { do: "record"; entry: Entry }
  /** The payment is complete. */
  | { do: "finish" }
  /** The attempt failed, and the caller has not requested another. */
  | { do: "stop"; attempt: Attempt; outcome: Outcome };

/** Reads the state of a payment from its entries. */
export function fold(entries: readonly Entry[]): State {
  const attempts: Attempt[] = [];
  for (const entry of entries) {
    const at = attempts.findIndex(({ attempt }) => attempt === entry.attempt);
    const before = attempts[at];
    if (before) attempts[at] = apply(before, entry);
    else if (entry.type === "signed" || entry.type === "asked") {
      const { type: _, ...attempt } = entry;
      attempts.push(attempt);
    }
  }
  return attempts;
}

function apply(before: Attempt, entry: Entry): Attempt {
  switch (entry.type) {
    case "refused":
    case "given-up":
      return { ...before, end: entry.type };
    case "final":
      return { ...before, hash: entry.hash ?? before.hash, end: entry.outcome };
    case "cancelling":
      return { ...before, raw: entry.raw, cancelHash: entry.hash, worstCaseFee: entry.worstCaseFee };
    case "answered": {
      const { hash = before.hash, nonce = before.nonce, callsId = before.callsId } = entry;
      // What was given up and turns up nonetheless is open again.
      const end = before.end === "given-up" ? undefined : before.end;
      return { ...before, hash, nonce, callsId, raw: hash === before.hash ? before.raw : undefined, end };
    }
    case "signed":
    case "asked": {
      const { type: _, ...changes } = entry;
      return { ...before, ...changes };
    }
  }
}

/**
 * Decides what happens next: the only place that does. A payment is attempted again only after every earlier attempt was
 * refused, has failed for good, or was given up by the caller: until then the open one is settled, whatever happened to
 * this process.
 */
export function next(state: State, sight: Sight): Command {
  if (state.some(({ step, end }) => step === "pay" && end === "succeeded")) return { do: "finish" };
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
  const { isDelivered, seen, confirmations, finality, retryBelow, action } = sight;
  const { attempt, hash } = open;
  if (action !== undefined) return { do: action, attempt: open };
  if (!seen) return { do: isDelivered ? "look" : "deliver", attempt: open };
  const { outcome } = seen;
  if (outcome === "succeeded") return { do: seen.confirmations >= confirmations ? "conclude" : "look", attempt: open };
  if (attempt >= retryBelow) return { do: "stop", attempt: open, outcome };
  if (seen.confirmations < finality) return { do: "look", attempt: open };
  return { do: "record", entry: { type: "final", attempt, outcome, hash } };
}
