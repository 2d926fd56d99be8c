import { wait } from "../../base/async/abort.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { type Operation, resolveOptions, wholeNumber } from "../../base/operation.ts";
import { type BearerOptions, bearerSchema } from "../../base/options.ts";
import { getBalance, type Usage } from "./usage.ts";

/** Options of {@link waitForCredit}. */
export interface WaitForCreditOptions extends BearerOptions {
  /** How long to wait, in milliseconds. @default 600,000 (ten minutes) */
  waitMs?: number | undefined;
  /** Polling interval, in milliseconds. @default 5,000 */
  pollMs?: number | undefined;
}

export const waitForCreditOperation = {
  options: {
    ...bearerSchema,
    waitMs: wholeNumber(600_000, 1),
    pollMs: wholeNumber(5_000, 1),
  },
} satisfies Operation<WaitForCreditOptions>;

/** Whether the network has credited a payment. */
export interface Credit {
  /** Whether the account may store more than before. If not, that is no failure of the payment. */
  isCredited: boolean;
  /** How much it may store now, and has stored. */
  balance: Usage;
}

/**
 * Waits until the network has credited a payment: the account may store more than before. The network does so some time
 * after the payment is confirmed; that it has not yet does not mean that the payment failed.
 *
 * @param before - what `getBalance` returned before the payment
 * @returns also if `waitMs` have passed, with `isCredited: false`
 * @throws `MISSING_API_KEY`, `INVALID_OPTION`, `HTTP_STATUS` (401 for an API key that is not valid); what every request
 * may throw, if requests still fail at the end
 *
 * @example
 * const before = await getBalance({ apiKey });
 * await payWithToken({ network: "polygon", token: "usdc", size: 5_000_000, signer });
 * const { isCredited, balance } = await waitForCredit(before, { apiKey });
 */
export async function waitForCredit(before: Pick<Usage, "dataLimit">, options: WaitForCreditOptions): Promise<Credit> {
  const { waitMs, pollMs, ...bearer } = resolveOptions(waitForCreditOperation.options, options);
  const dataLimit = readLimit(before);
  const deadline = performance.now() + waitMs;
  for (;;) {
    const balance = await getBalance(bearer).catch((error: unknown) => {
      if (performance.now() < deadline && mayPass(error)) return undefined;
      throw error;
    });
    const isCredited = balance !== undefined && balance.dataLimit > dataLimit;
    const leftMs = deadline - performance.now();
    if (balance && (isCredited || leftMs <= 0)) return { isCredited, balance };
    await wait(Math.max(Math.min(pollMs, leftMs), 0), bearer.signal);
  }
}

function readLimit(before: unknown): number {
  const { dataLimit } = Object(before) as Partial<Usage>;
  if (typeof dataLimit === "number" && dataLimit >= 0) return dataLimit;
  throw invalidOption("before", "what getBalance returned before the payment");
}

/** Whether a failed request may succeed later. */
function mayPass(error: unknown): boolean {
  if (!isKeeplightError(error)) return false;
  const { status } = error.details;
  if (error.code === "HTTP_STATUS") return status === 429 || Number(status) >= 500;
  return ["NETWORK", "TIMEOUT", "INVALID_JSON", "INVALID_RESPONSE"].includes(error.code);
}
