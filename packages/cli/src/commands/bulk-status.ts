import type { BulkLedger, BulkPlan, BulkStatus, RunStatus } from "@keeplight/bulk";
import type { Invocation } from "../frame/invocation.ts";
import { clean } from "../output/clean.ts";
import { formatAge, ledgerInUse, loadBulk, printStatus, withPlan } from "../steps/bulk.ts";

/** Shows how far a plan is. */
export async function run(invocation: Invocation): Promise<void> {
  const { flag } = invocation;
  const { getBulkStatus, readRunStatus } = await loadBulk();
  await withPlan(
    invocation,
    async (plan, ledger) => {
      const status = await getBulkStatus(plan, ledger);
      if (flag("setAside") && !flag("metrics")) await printSetAside(invocation, plan, ledger);
      await print(invocation, plan, status);
    },
    async (plan, place, error) => {
      const { code, message } = error as { code?: unknown; message?: unknown };
      const inUse = code === "LEDGER_IN_USE";
      // A disk that is full, or read-only.
      if (!inUse && code !== "CANNOT_WRITE") throw error;
      if (flag("setAside")) {
        throw inUse ? ledgerInUse(place, "Which files are set aside can be listed once that has ended.") : error;
      }
      const written = await readRunStatus(plan, place);
      if (!written) throw inUse ? ledgerInUse(place, "That has not written how far the plan is.") : error;
      if (!inUse) invocation.output.warn(`${message}: this is what the last run has written`);
      await print(invocation, plan, written, written);
    },
  );
}

async function print(
  invocation: Invocation,
  { skipped: leftOut }: BulkPlan,
  status: BulkStatus,
  written?: RunStatus,
): Promise<void> {
  if (!invocation.flag("metrics")) return printStatus(invocation, status, { run: written, leftOut });
  const { formatBulkMetrics } = await loadBulk();
  const text = formatBulkMetrics([status]).trimEnd();
  if (written) invocation.output.note(`Written ${formatAge(written)} ago`);
  invocation.output.result(status, { text: () => text, quiet: text, isVerbatim: true });
}

async function printSetAside({ output }: Invocation, plan: BulkPlan, ledger: BulkLedger): Promise<void> {
  const { listSetAside } = await loadBulk();
  for await (const { path, code, message } of listSetAside(plan.id, ledger)) {
    output.item({ path, code, message }, { text: () => clean(`${path}  ${code}  ${message}`), quiet: clean(path) });
  }
}
