import { wait } from "../../base/async/abort.ts";
import { isKeeplightError, KeeplightError } from "../../base/errors/base.ts";
import { paymentMissed, paymentUnknown } from "../../base/errors/payment.ts";
import { createBlockSearch } from "../../network/ethereum/block-search.ts";
import { requestQuantity } from "../../network/ethereum/eth-rpc.ts";
import { type Attempt, SILENCE, type Sight } from "../machine.ts";
import { type Context, toFacts } from "./context.ts";
import { type Observation, observe } from "./observe.ts";

/** What a look may show. `block`: at which the wallet reported that it made no calls. */
type Found =
  | Extract<Observation, { kind: "seen" | "located" }>
  | { kind: "dropped"; block: number }
  | { kind: "silent"; silence: NonNullable<Sight["silence"]> };

/**
 * Watches the latest attempt during one run: polls until its transaction is mined or displaced, or is found to have
 * another hash; a second call waits for the next poll first.
 *
 * @throws `PAYMENT_DROPPED`, `PAYMENT_REPLACED`, `PAYMENT_REORGANISED`, `PAYMENT_TIMEOUT`, `PAYMENT_UNKNOWN`,
 * `PAYMENT_MISMATCH`, `ABORTED`; what {@link Rpc} throws if it does so for `missingMs`
 */
export type Watch = (attempt: Attempt) => Promise<Found>;

export function createWatch(context: Context, { fromBlock, failure }: Attempt): Watch {
  const { rpc, waiting, signal } = context;
  const { missingMs } = waiting;
  const deadline = performance.now() + waiting.waitMs;
  const search = createBlockSearch(fromBlock, deadline);
  let missingSince: Moment | undefined;
  let failingSince: number | undefined;
  let wasMined = false;
  let isFirst = true;

  const countSearched = (): number => search.fromBlock + (context.events.search?.fromBlock ?? 0);

  async function readMoment(): Promise<Moment> {
    const block = Number(await requestQuantity(rpc, "eth_blockNumber"));
    return { block, ms: performance.now() };
  }

  /** Looks at the chain once, by one node. Returns `undefined` as long as there is nothing to report. */
  async function poll(attempt: Attempt): Promise<Found | undefined> {
    const isOverdue = missingSince !== undefined && performance.now() - missingSince.ms >= missingMs;
    // Before the look: blocks that are mined meanwhile may contain the transaction.
    const now = isOverdue ? await readMoment() : undefined;
    const observed = await rpc.onOneNode((node) => observe({ ...context, rpc: node }, attempt, search, isOverdue));
    if (observed.kind === "located") return observed;
    if (observed.kind === "dropped") return { kind: "dropped", block: (await readMoment()).block };
    if (observed.kind === "silent") {
      const { block, ms } = await readMoment();
      missingSince ??= { block, ms };
      const blocks = block - (failure?.block ?? missingSince.block);
      return { kind: "silent", silence: { blocks, waits: (ms - missingSince.ms) / missingMs } };
    }
    if (observed.kind === "seen") {
      wasMined ||= observed.seen.receipt !== undefined;
      return observed;
    }
    if (observed.kind === "pending") {
      missingSince = undefined;
      return undefined;
    }
    missingSince ??= await readMoment();
    const isSearched = observed.kind !== "taken" || search.isComplete;
    if (now && isSearched && isLost(missingSince, now, missingMs)) {
      // An approval of a wallet that is lost may be requested again.
      if (attempt.step !== "pay" && attempt.signed.length === 0)
        return { kind: "silent", silence: { blocks: 0, waits: 1 } };
      throw toLostError(context, attempt, observed, wasMined);
    }
    return undefined;
  }

  async function pollPatiently(attempt: Attempt): Promise<Found | undefined> {
    const before = { ms: performance.now(), searched: countSearched() };
    try {
      const found = await poll(attempt);
      failingSince = undefined;
      return found;
    } catch (error) {
      const isProgress = countSearched() > before.searched;
      failingSince = isProgress ? undefined : (failingSince ?? before.ms);
      const isOver = failingSince !== undefined && performance.now() - failingSince >= missingMs;
      if (!isKeeplightError(error) || !TRANSIENT.has(error.code) || isOver) throw error;
      return undefined;
    }
  }

  return async (attempt) => {
    for (;;) {
      if (!isFirst) {
        if (performance.now() >= deadline) {
          throw paymentMissed("PAYMENT_TIMEOUT", { ...toFacts(context, attempt), waitMs: waiting.waitMs });
        }
        await wait(waiting.pollMs, signal);
      }
      isFirst = false;
      const found = await pollPatiently(attempt);
      if (!found) continue;
      if (found.kind !== "silent") missingSince = undefined;
      return found;
    }
  };
}

function toLostError(context: Context, attempt: Attempt, observed: Observation, wasMined: boolean): KeeplightError {
  const facts = toFacts(context, attempt);
  if (observed.kind === "mismatch") {
    const { paidBy } = observed.mismatch;
    const problem =
      paidBy === undefined
        ? "The transaction that the wallet reported does something else"
        : "Another account than the payer made the payment";
    const message = `${problem} (${facts.step}): look before paying again`;
    return new KeeplightError("PAYMENT_MISMATCH", message, { details: { ...facts, paidBy } });
  }
  if (attempt.hash === undefined) return paymentUnknown(facts);
  if (observed.kind === "taken") return paymentMissed("PAYMENT_REPLACED", facts);
  return paymentMissed(wasMined ? "PAYMENT_REORGANISED" : "PAYMENT_DROPPED", facts);
}

/** Failures of a node that do not concern the transaction. */
const TRANSIENT = new Set(["NETWORK", "TIMEOUT", "HTTP_STATUS", "INVALID_JSON", "INVALID_RESPONSE", "RPC_REFUSED"]);

export interface Moment {
  /** By `performance.now()`. */
  ms: number;
  /** The latest block. */
  block: number;
}

/**
 * Decides whether a transaction that nodes have not known since a moment is lost. Nodes lag behind each other, and some
 * do not show each other's pending transactions: only time and blocks together show that it is not about to be mined.
 * Blocks take from less than a second to 30.
 *
 * @param missingMs - the least time, in milliseconds
 */
export function isLost(since: Moment, now: Moment, missingMs: number): boolean {
  const elapsedMs = now.ms - since.ms;
  if (elapsedMs < missingMs) return false;
  return now.block - since.block >= SILENCE.unknown.blocks || elapsedMs >= SILENCE.unknown.waits * missingMs;
}
