import type { Invocation } from "../frame/invocation.ts";
import { clean } from "../output/clean.ts";
import { loadBulk, printStatus, withPlan } from "../steps/bulk.ts";

/** Shows how far a plan is. */
export async function run(invocation: Invocation): Promise<void> {
  const { output, flag } = invocation;
  const { formatBulkMetrics, getBulkStatus, listSetAside } = await loadBulk();
  await withPlan(invocation, async (plan, ledger) => {
    const status = await getBulkStatus(plan, ledger);
    if (flag("metrics")) {
      const text = formatBulkMetrics([status]).trimEnd();
      return output.result(status, { text: () => text, quiet: text, isVerbatim: true });
    }
    if (flag("setAside")) {
      for await (const { path, code, message } of listSetAside(plan.id, ledger)) {
        output.item({ path, code, message }, { text: () => clean(`${path}  ${code}  ${message}`), quiet: clean(path) });
      }
    }
    printStatus(invocation, status);
  });
}
