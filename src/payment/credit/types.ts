import type { Usage } from "../../account/usage.ts";
import type { BearerOptions } from "../../options.ts";

/** Options of {@link waitForCredit}. */
export interface WaitForCreditOptions extends BearerOptions {
  /** How long to wait, in milliseconds. @default 600,000 (ten minutes) */
  waitMs?: number | undefined;
  /** Polling interval, in milliseconds. @default 5,000 */
  pollMs?: number | undefined;
}

/** Whether the network has credited a payment. */
export interface Credit {
  /** Whether the account may store more than before. If not, that is no failure of the payment. */
  isCredited: boolean;
  /** How much it may store now, and has stored. */
  balance: Usage;
}
