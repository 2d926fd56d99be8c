import type { Invocation } from "../frame/invocation.ts";
import { loadBulk, printStatus, withPlan } from "../steps/bulk.ts";

/** Lets no further batch of a plan start. */
export async function run(invocation: Invocation): Promise<void> {
  const { pauseBulk, getBulkStatus } = await loadBulk();
  await withPlan(invocation, async (plan, ledger) => {
    if (!invocation.isDryRun) await pauseBulk(plan.id, ledger);
    printStatus(invocation, await getBulkStatus(plan.id, ledger));
  });
}
