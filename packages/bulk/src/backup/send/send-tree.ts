import { join } from "node:path";
import { getLedger } from "../../ledger/handle.ts";
import { openBulkLedger } from "../../ledger/open-ledger.ts";
import type { Ledger, LedgerRow } from "../../ledger/types.ts";
import { planBulk } from "../../plan/plan-bulk.ts";
import type { BulkPlan } from "../../plan/types.ts";
import { retryBulk } from "../../run/control.ts";
import { runBulk } from "../../run/run-bulk.ts";
import type { BulkRunOptions } from "../../run/run-options.ts";
import { createTreeSource, type TreeToSend } from "./tree-source.ts";

/** How the files of a tree are sent. */
export interface SendOptions extends Pick<BulkRunOptions, "upload" | "workers" | "onError" | "signal"> {
  /** Folder of the plan. */
  folder: string;
  /** Name of the plan. */
  name: string;
  /** Receives how many files are stored. */
  onProgress(files: number): void;
}

/**
 * Sends the files of a tree by a plan with a ledger, and passes its rows on: one for each file, in the order of the tree. What
 * an earlier call has sent is not sent again; what it has set aside is.
 *
 * @throws what `runBulk` throws
 */
export async function sendTree<T>(
  tree: TreeToSend,
  { folder, name, upload, workers, onError, signal, onProgress }: SendOptions,
  withRows: (rows: AsyncGenerator<LedgerRow>) => Promise<T>,
): Promise<T> {
  const source = createTreeSource(tree);
  const { plan } = await planBulk(source, { folder, name, signal });
  const handle = await openBulkLedger(join(folder, "ledger"));
  try {
    const ledger = getLedger(handle);
    if (await ledger.getPlan(plan.id)) await retryBulk(plan.id, handle);
    await runBulk(plan, {
      upload,
      workers,
      onError,
      signal,
      source,
      ledger: handle,
      onProgress: ({ filesDone }) => onProgress(filesDone),
    });
    return await withRows(readRows(ledger, plan));
  } finally {
    await handle.close();
  }
}

async function* readRows(ledger: Ledger, { id, batches }: BulkPlan): AsyncGenerator<LedgerRow> {
  for (let batch = 0; batch < batches; batch++) yield* await ledger.read(id, batch);
}
