import { setTimeout } from "node:timers/promises";
import type { State } from "../state/stored-map.ts";
import { createPaidFiles } from "./paid-files.ts";
import { DEFAULT_USD_PER_MIB } from "./price.ts";
import { createReceipts } from "./receipts.ts";

/** Creates what the service that is paid per upload knows: what `state` has. */
export function createTill(state: State) {
  const closing = new AbortController();
  return {
    /** USD per encoded MiB and year. */
    usdPerMiB: DEFAULT_USD_PER_MIB,
    files: createPaidFiles(state.map("paid-files")),
    receipts: createReceipts(state.map("receipts")),
    /** Waits; rejects when the devnet closes. */
    async wait(ms: number): Promise<void> {
      if (ms > 0) await setTimeout(ms, undefined, { signal: closing.signal });
    },
    close: () => closing.abort(),
  };
}
