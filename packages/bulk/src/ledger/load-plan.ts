import { invalidOption, throwIfAborted } from "keeplight/parts";
import { readManifest } from "../plan/manifest.ts";
import { getManifestPath } from "../plan/plan-file.ts";
import { splitBatches } from "../plan/split-batches.ts";
import type { BulkPlan } from "../plan/types.ts";
import type { Ledger, LedgerPlan } from "./types.ts";

/**
 * Adds a plan to a ledger, with those of its batches that the ledger does not have yet, and starts it again if it is paused.
 *
 * @throws `INVALID_OPTION` for a plan that is cancelled, that the ledger has with another encryption, or whose manifest has
 * other batches; what reading the manifest throws
 */
export async function loadPlan(ledger: Ledger, plan: BulkPlan, signal: AbortSignal | undefined): Promise<LedgerPlan> {
  const stored = await ledger.addPlan(plan);
  if (stored.state === "cancelled") throw invalidOption("plan", "a plan that is not cancelled");
  // A writer of a shared ledger does not decide whether files are encrypted.
  const isSame = stored.encrypted === plan.encrypted && stored.oneKeyPerBatch === plan.oneKeyPerBatch;
  if (!isSame) throw invalidOption("plan", "a plan that the ledger has with the same encryption");
  if (stored.loaded < stored.batches) {
    let batch = 0;
    for await (const files of splitBatches(readManifest(getManifestPath(plan.folder)), plan.encrypted)) {
      throwIfAborted(signal);
      if (batch >= stored.loaded) await ledger.addBatch(plan.id, batch, files);
      batch++;
    }
    if (batch !== stored.batches) throw invalidOption("plan", "a plan whose manifest has not been changed");
  }
  if (stored.state === "paused") await ledger.setState(plan.id, "running");
  return { ...stored, state: "running", loaded: stored.batches };
}
