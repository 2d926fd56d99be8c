import type { Invocation } from "../frame/invocation.ts";
import {
  getUnlock,
  getUploadOptions,
  loadBulk,
  printStatus,
  readCount,
  showProgress,
  withPlan,
} from "../steps/bulk.ts";
import { createErrorDisplay } from "../steps/show-errors.ts";

/** Sends the files of a plan in this process. */
export async function run(invocation: Invocation): Promise<void> {
  const { isDryRun, signal, output } = invocation;
  const { runBulk, getBulkStatus } = await loadBulk();
  const limits = {
    ...readCount(invocation, "workers", "--workers"),
    ...readCount(invocation, "attempts", "--attempts"),
    ...readCount(invocation, "batchesPerMinute", "--batches-per-minute"),
  };
  await withPlan(invocation, async (plan, ledger) => {
    if (isDryRun) {
      printStatus(invocation, await getBulkStatus(plan, ledger));
      return output.note("Nothing was sent.");
    }
    const upload = await getUploadOptions(invocation, plan);
    const unlock = plan.encrypted ? await getUnlock(invocation) : {};
    const errors = await createErrorDisplay(invocation);
    const status = await runBulk(plan, {
      ...{ ...limits, ...unlock, upload, ledger, signal },
      onError: errors.show,
      onProgress(done) {
        errors.setDone(done.filesDone);
        showProgress(invocation, done);
      },
    });
    printStatus(invocation, status);
  });
}
