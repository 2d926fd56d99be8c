import { setTimeout } from "node:timers/promises";
import { createPaidFiles } from "./paid-files.ts";
import { DEFAULT_USD_PER_MIB } from "./price.ts";
import { createReceipts } from "./receipts.ts";

/** Creates what the service that is paid per upload knows: nothing yet. */
export function createTill() {
  const closing = new AbortController();
  return {
    /** USD per encoded MiB and year. */
    usdPerMiB: DEFAULT_USD_PER_MIB,
    files: createPaidFiles(),
    receipts: createReceipts(),
    /** Waits; rejects when the devnet closes. */
    async wait(ms: number): Promise<void> {
      if (ms > 0) await setTimeout(ms, undefined, { signal: closing.signal });
    },
    close: () => closing.abort(),
  };
}
