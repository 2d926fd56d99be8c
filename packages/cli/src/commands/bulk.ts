import { resolve } from "node:path";
import type { BulkPlan, BulkStatus, RunStatus } from "@keeplight/bulk";
import type { PaymentToken } from "keeplight";
import type { Invocation } from "../frame/invocation.ts";
import { clean, formatBytes, formatDuration, formatPrice } from "../output/format.ts";
import { formatFacts } from "../output/table.ts";
import { formatAge, ledgerInUse, loadBulk, printStatus, withPlan } from "../steps/bulk.ts";
import { findNetwork } from "../steps/inputs.ts";

export async function runBulkPlan(invocation: Invocation): Promise<void> {
  const { argument, option, flag, call, output } = invocation;
  const { planBulk, manifestSource } = await loadBulk();
  const source = resolve(argument("source"));
  const manifest = option("manifest");
  const { plan, cost } = await planBulk(manifest === undefined ? source : manifestSource(manifest, source), {
    ...call,
    folder: option("to") ?? `${source}.plan`,
    name: option("name"),
    // A plan that is continued keeps its own choice.
    encrypted: flag("encrypt") || undefined,
    oneKeyPerBatch: flag("oneKeyPerBatch") || undefined,
    onSkipped: ({ path, code }) => output.item({ path, code }, `left out (${code})  ${clean(path)}`),
    network: findNetwork(invocation),
    token: option("token") as PaymentToken | undefined,
  });
  const { id, folder, files, bytes, batches, encrypted, skipped } = plan;
  const { keyNodeRequests, derivationMs, price } = cost;
  const facts = formatFacts([
    ["Plan", folder],
    ["Files", String(files)],
    ["Size", formatBytes(bytes)],
    ["Batches", String(batches)],
    encrypted && ["Requests to key nodes", String(keyNodeRequests)],
    encrypted && ["Deriving keys here", formatDuration(derivationMs / 1_000)],
    ["Price", formatPrice(price)],
  ]);
  if (skipped) output.warn(`${skipped.count} files and folders could not be read, and are not in the plan`);
  output.result({ id, folder, files, bytes, batches, keyNodeRequests, derivationMs, price }, facts, folder);
}

export async function runBulkStatus(invocation: Invocation): Promise<void> {
  const { flag, output } = invocation;
  const { getBulkStatus, readRunStatus, listSetAside } = await loadBulk();
  await withPlan(
    invocation,
    async (plan, ledger) => {
      const status = await getBulkStatus(plan, ledger);
      const listed = flag("setAside") && !flag("metrics") ? listSetAside(plan.id, ledger) : [];
      for await (const { path, code, message } of listed) {
        output.item({ path, code, message }, clean(`${path}  ${code}  ${message}`), clean(path));
      }
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
      if (!inUse) output.warn(`${message}: this is what the last run has written`);
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
  invocation.output.result(status, text, text, "verbatim");
}

export const runBulkPause = (invocation: Invocation) => changeState(invocation, "pauseBulk");

export const runBulkCancel = (invocation: Invocation) => changeState(invocation, "cancelBulk");

async function changeState(invocation: Invocation, change: "pauseBulk" | "cancelBulk"): Promise<void> {
  await withPlan(invocation, async (plan, ledger, bulk) => {
    if (!invocation.isDryRun) await bulk[change](plan.id, ledger);
    printStatus(invocation, await bulk.getBulkStatus(plan.id, ledger));
  });
}

export async function runBulkRetry(invocation: Invocation): Promise<void> {
  const { output, isDryRun, flag } = invocation;
  const encryptAgain = flag("encryptAgain");
  await withPlan(invocation, async (plan, ledger, { retryBulk, getBulkStatus }) => {
    const status = isDryRun ? await getBulkStatus(plan.id, ledger) : undefined;
    const files = status?.setAside ?? (await retryBulk(plan.id, ledger, { encryptAgain }));
    output.result({ files }, `${files} files are ready to be sent again`, String(files));
  });
}
