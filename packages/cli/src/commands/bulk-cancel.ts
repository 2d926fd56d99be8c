import type { Invocation } from "../frame/invocation.ts";
import { loadBulk, printStatus, withPlan } from "../steps/bulk.ts";

/** Ends a plan for good. */
export async function run(invocation: Invocation): Promise<void> {
  const { cancelBulk, getBulkStatus } = await loadBulk();
  await withPlan(invocation, async (plan, ledger) => {
    if (!invocation.isDryRun) await cancelBulk(plan.id, ledger);
    printStatus(invocation, await getBulkStatus(plan.id, ledger));
  });
}
