import type { Usage } from "../../account/usage.ts";
import { wait } from "../../async/abort.ts";
import { isKeeplightError } from "../../errors/base.ts";
import { invalidOption } from "../../errors/input.ts";
import { type BearerOptions, bearerOptionNames } from "../../options.ts";
import { checkOptions, pickOptions } from "../../validation/check-options.ts";
import { wholeNumber } from "../../validation/number.ts";
import type { Credit, WaitForCreditOptions } from "./types.ts";

/**
 * Implements `waitForCredit`.
 *
 * @throws what `waitForCredit` throws
 */
export async function pollForCredit(
  before: Pick<Usage, "dataLimit">,
  options: WaitForCreditOptions,
  readBalance: (options: BearerOptions) => Promise<Usage>,
): Promise<Credit> {
  const requested = checkOptions(options, [bearerOptionNames, "waitMs,pollMs"]);
  const dataLimit = checkLimit(before);
  const waitMs = wholeNumber("waitMs", requested.waitMs, 600_000, 1);
  const pollMs = wholeNumber("pollMs", requested.pollMs, 5_000, 1);
  const bearer = pickOptions(requested, bearerOptionNames) as BearerOptions;
  const deadline = performance.now() + waitMs;
  for (;;) {
    const balance = await readBalance(bearer).catch((error: unknown) => {
      if (performance.now() < deadline && mayPass(error)) return undefined;
      throw error;
    });
    const isCredited = balance !== undefined && balance.dataLimit > dataLimit;
    const leftMs = deadline - performance.now();
    if (balance && (isCredited || leftMs <= 0)) return { isCredited, balance };
    await wait(Math.max(Math.min(pollMs, leftMs), 0), requested.signal);
  }
}

function checkLimit(before: unknown): number {
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
