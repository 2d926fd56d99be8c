import type { Invocation } from "../frame/invocation.ts";
import { getConnection, loadBulk, readCount, withPlan } from "../steps/bulk.ts";

/** Adds the batches of a plan to a queue. */
export async function run(invocation: Invocation): Promise<void> {
  const { output, isDryRun, signal } = invocation;
  const { enqueueBulk } = await loadBulk();
  const connection = getConnection(invocation);
  const attempts = readCount(invocation, "attempts", "--attempts");
  await withPlan(invocation, async (plan, ledger) => {
    const batches = isDryRun ? plan.batches : await enqueueBulk(plan, { connection, ledger, signal, ...attempts });
    output.result({ batches }, { text: () => `${batches} batches are in the queue`, quiet: String(batches) });
  });
}
