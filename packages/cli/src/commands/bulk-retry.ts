import type { Invocation } from "../frame/invocation.ts";
import { loadBulk, withPlan } from "../steps/bulk.ts";

/** Makes files that are set aside ready to be sent again. */
export async function run(invocation: Invocation): Promise<void> {
  const { output, isDryRun, flag } = invocation;
  const options = flag("encryptAgain") ? { encryptAgain: true } : {};
  const { retryBulk, getBulkStatus } = await loadBulk();
  await withPlan(invocation, async (plan, ledger) => {
    const files = isDryRun
      ? (await getBulkStatus(plan.id, ledger)).setAside
      : await retryBulk(plan.id, ledger, options);
    output.result({ files }, { text: () => `${files} files are ready to be sent again`, quiet: String(files) });
  });
}
