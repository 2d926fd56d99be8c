import { wait } from "../../async/abort.ts";
import { isKeeplightError, type KeeplightError } from "../../errors/base.ts";
import {
  paymentDropped,
  paymentMismatch,
  paymentReorganised,
  paymentReplaced,
  paymentTimeout,
  paymentUnknown,
} from "../../errors/payment.ts";
import type { Attempt } from "../machine.ts";
import { type Context, toFacts } from "./context.ts";
import { createSearch } from "./find-transaction.ts";
import { type Located, type Observation, observe, type Seen } from "./observe.ts";

/** How many polls in a row may miss or fail: the nodes behind one URL lag behind each other. */
const MAX_MISSED_POLLS = 8;

/** Watches the latest attempt during one run. */
export interface Watch {
  /**
   * Polls until the attempt's transaction is mined or displaced, or is found to have another hash; a second call waits
   * for the next poll first.
   *
   * @throws `PAYMENT_DROPPED`, `PAYMENT_REPLACED`, `PAYMENT_REORGANISED`, `PAYMENT_TIMEOUT`, `PAYMENT_UNKNOWN`,
   * `PAYMENT_MISMATCH`, `ABORTED`; what {@link Rpc} throws if it does so repeatedly
   */
  look(attempt: Attempt): Promise<Seen | Located>;
}

export function createWatch(context: Context, { fromBlock }: Attempt): Watch {
  const { waiting, signal } = context;
  const deadline = performance.now() + waiting.waitMs;
  const search = createSearch({ fromBlock });
  let misses = 0;
  let failures = 0;
  let wasMined = false;
  let isFirst = true;

  return {
    async look(attempt) {
      for (;;) {
        if (!isFirst) {
          if (performance.now() >= deadline) throw paymentTimeout(toFacts(context, attempt), waiting.waitMs);
          await wait(waiting.pollMs, signal);
        }
        isFirst = false;
        try {
          const observed = await observe(context, attempt, search, misses >= MAX_MISSED_POLLS - 1);
          failures = 0;
          misses = observed.kind === "pending" ? 0 : misses + 1;
          if (observed.kind === "located") return observed.located;
          if (observed.kind === "seen") {
            wasMined ||= observed.seen.receipt !== undefined;
            return observed.seen;
          }
          if (misses >= MAX_MISSED_POLLS) throw toLostError(context, attempt, observed, wasMined);
        } catch (error) {
          if (!isTransient(error) || ++failures >= MAX_MISSED_POLLS) throw error;
        }
      }
    },
  };
}

function toLostError(context: Context, attempt: Attempt, observed: Observation, wasMined: boolean): KeeplightError {
  const facts = toFacts(context, attempt);
  if (observed.kind === "mismatch") return paymentMismatch(facts, observed.mismatch.paidBy);
  if (attempt.hash === undefined) return paymentUnknown(facts);
  if (observed.kind === "taken") return paymentReplaced(facts, undefined);
  return wasMined ? paymentReorganised(facts) : paymentDropped(facts);
}

const TRANSIENT = new Set(["NETWORK", "TIMEOUT", "HTTP_STATUS", "INVALID_JSON", "INVALID_RESPONSE", "RPC_REFUSED"]);

/** Whether a failure is the node's and does not concern the transaction. */
function isTransient(error: unknown): boolean {
  return isKeeplightError(error) && TRANSIENT.has(error.code);
}
