import { resolve } from "node:path";
import type { BulkLedger, BulkPlan, BulkStatus, RunStatus } from "@keeplight/bulk";
import type { PaymentToken } from "keeplight";
import type { Invocation } from "../frame/invocation.ts";
import { clean, formatAmount, formatBytes, formatDuration } from "../output/format.ts";
import { formatFacts } from "../output/table.ts";
import { formatAge, ledgerInUse, loadBulk, printStatus, withPlan } from "../steps/bulk.ts";
import { findNetwork } from "../steps/inputs.ts";

/** Lists a dataset, and what sending it costs. */
export async function runBulkPlan(invocation: Invocation): Promise<void> {
  const { argument, option, flag, call, output } = invocation;
  const { planBulk, manifestSource } = await import("@keeplight/bulk");
  const source = resolve(argument("source"));
  const manifest = option("manifest");
  const network = findNetwork(invocation);
  const token = option("token") as PaymentToken | undefined;
  const { plan, cost } = await planBulk(manifest === undefined ? source : manifestSource(manifest, source), {
    ...call,
    folder: option("to") ?? `${source}.plan`,
    name: option("name"),
    ...(flag("encrypt") ? { encrypted: true } : {}),
    ...(flag("oneKeyPerBatch") ? { oneKeyPerBatch: true } : {}),
    onSkipped: ({ path, code }) => {
      output.item({ path, code }, { text: () => `left out (${code})  ${clean(path)}`, quiet: "" });
    },
    ...(network === undefined ? {} : { network }),
    ...(token === undefined ? {} : { token }),
  });
  const { id, folder, files, bytes, batches } = plan;
  const { keyNodeRequests, derivationMs, price } = cost;
  const facts: [string, string][] = [
    ["Plan", folder],
    ["Files", String(files)],
    ["Size", formatBytes(bytes)],
    ["Batches", String(batches)],
    ...(plan.encrypted
      ? ([
          ["Requests to key nodes", String(keyNodeRequests)],
          ["Deriving keys here", formatDuration(derivationMs / 1_000)],
        ] as [string, string][])
      : []),
    ["Price", `${formatAmount(price.amount, price.decimals)} ${price.token} (${price.usd} US dollars)`],
  ];
  if (plan.skipped) output.warn(`${plan.skipped.count} files and folders could not be read, and are not in the plan`);
  output.result(
    { id, folder, files, bytes, batches, keyNodeRequests, derivationMs, price },
    { text: () => formatFacts(facts), quiet: folder },
  );
}

/** Shows how far a plan is. */
export async function runBulkStatus(invocation: Invocation): Promise<void> {
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

/** Lets no further batch of a plan start. */
export async function runBulkPause(invocation: Invocation): Promise<void> {
  const { pauseBulk, getBulkStatus } = await loadBulk();
  await withPlan(invocation, async (plan, ledger) => {
    if (!invocation.isDryRun) await pauseBulk(plan.id, ledger);
    printStatus(invocation, await getBulkStatus(plan.id, ledger));
  });
}

/** Ends a plan for good. */
export async function runBulkCancel(invocation: Invocation): Promise<void> {
  const { cancelBulk, getBulkStatus } = await loadBulk();
  await withPlan(invocation, async (plan, ledger) => {
    if (!invocation.isDryRun) await cancelBulk(plan.id, ledger);
    printStatus(invocation, await getBulkStatus(plan.id, ledger));
  });
}

/** Makes files that are set aside ready to be sent again. */
export async function runBulkRetry(invocation: Invocation): Promise<void> {
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
