import { once } from "node:events";
import type { Invocation } from "../frame/invocation.ts";
import { getConnection, getUnlock, getUploadOptions, loadBulk, readCount, requireLedger } from "../steps/bulk.ts";
import { createErrorDisplay } from "../steps/show-errors.ts";

/** Sends the batches of a queue until it is interrupted. */
export async function run(invocation: Invocation): Promise<void> {
  const { output, option, signal } = invocation;
  const { bulkWorker, openBulkLedger } = await loadBulk();
  const root = option("root");
  const unlock = await getUnlock(invocation);
  const ledger = await openBulkLedger(requireLedger(invocation));
  try {
    const worker = await bulkWorker({
      connection: getConnection(invocation),
      ledger,
      ...unlock,
      // Plans of encrypted files require an identity, which shows that there are some.
      upload: await getUploadOptions(invocation, { encrypted: unlock.unlock !== undefined }),
      ...(root === undefined ? {} : { source: { root } }),
      ...readCount(invocation, "workers", "--workers"),
      ...readCount(invocation, "batchesPerMinute", "--batches-per-minute"),
      onError: (await createErrorDisplay(invocation)).show,
    });
    output.result({ ready: true }, { text: () => "", quiet: "" });
    output.note("Waiting for batches. Press Ctrl-C to end it after those that are being sent.");
    if (!signal.aborted) await once(signal, "abort");
    await worker.close();
  } finally {
    await ledger.close();
  }
}
