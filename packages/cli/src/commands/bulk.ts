import { once } from "node:events";
import { resolve } from "node:path";
import type { BulkPlan, BulkStatus, RunStatus } from "@keeplight/bulk";
import type { PaymentToken } from "keeplight";
import { EXIT, UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { clean, formatBytes, formatDuration, formatPrice, formatTime } from "../output/format.ts";
import { formatFacts } from "../output/table.ts";
import { getBucketName, isBucket, openBucket } from "../steps/bucket.ts";
import {
  createErrorDisplay,
  formatAge,
  getUnlock,
  getUploadOptions,
  isWritten,
  ledgerInUse,
  loadBulk,
  printStatus,
  requireUrl,
  withPlan,
} from "../steps/bulk.ts";
import { findNetwork, readCount } from "../steps/inputs.ts";

export async function bulkPlan(invocation: Invocation): Promise<void> {
  const { option, flag, call, output } = invocation;
  const { planBulk } = await loadBulk();
  const { source, folder: ownFolder } = await openSource(invocation);
  const errors = await createErrorDisplay(invocation);
  const { plan, cost, isNew } = await planBulk(source, {
    ...call,
    folder: option("to") ?? ownFolder,
    name: option("name"),
    // A plan that is continued keeps its own choice.
    encrypted: flag("encrypt") || undefined,
    oneKeyPerBatch: flag("oneKeyPerBatch") || undefined,
    onSkipped: ({ path, code }) => output.item({ path, code }, `left out (${code})  ${clean(path)}`),
    onError: errors.show,
    network: findNetwork(invocation),
    token: option("token") as PaymentToken | undefined,
  });
  const { id, folder, files, bytes, batches, encrypted, skipped, plannedAt } = plan;
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
  if (skipped) {
    output.warn(`${skipped.count} files and folders could not be read or must not be sent, and are not in the plan`);
    process.exitCode = EXIT.resumable;
  }
  if (!isNew)
    output.warn(`${describeAge(plannedAt)}. Files that are new since are not in it: plan them with another --to`);
  const counts = { files, bytes, batches, keyNodeRequests, derivationMs, price };
  output.result({ id, folder, ...counts, isNew, plannedAt }, facts, folder);
}

function describeAge(plannedAt: number | undefined): string {
  return plannedAt === undefined
    ? "This plan existed already"
    : `This plan existed already: it is of ${formatTime(plannedAt)} UTC`;
}

/** Opens what is planned; `folder` is where its plan is by default. */
async function openSource(invocation: Invocation) {
  const { argument, option } = invocation;
  const place = argument("source");
  const manifest = option("manifest");
  if (isBucket(place)) {
    if (manifest !== undefined) throw new UsageError("--manifest is for files of this machine");
    return { source: await openBucket(invocation, place), folder: `${getBucketName(place)}.plan` };
  }
  const source = resolve(place);
  const { manifestSource } = await loadBulk();
  return { source: manifest === undefined ? source : manifestSource(manifest, source), folder: `${source}.plan` };
}

export async function bulkStatus(invocation: Invocation): Promise<void> {
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
      await print(invocation, plan, written);
    },
  );
}

async function print(
  invocation: Invocation,
  { skipped: leftOut }: BulkPlan,
  status: BulkStatus | RunStatus,
): Promise<void> {
  if (!invocation.flag("metrics")) return printStatus(invocation, status, leftOut);
  const { formatBulkMetrics } = await loadBulk();
  const text = formatBulkMetrics([status]).trimEnd();
  if (isWritten(status)) invocation.output.note(`Written ${formatAge(status)} ago`);
  invocation.output.result(status, text, text, "verbatim");
}

export const bulkPause = (invocation: Invocation) => changeState(invocation, "pauseBulk");

export const bulkCancel = (invocation: Invocation) => changeState(invocation, "cancelBulk");

async function changeState(invocation: Invocation, change: "pauseBulk" | "cancelBulk"): Promise<void> {
  await withPlan(invocation, async (plan, ledger, bulk) => {
    if (!invocation.isDryRun) await bulk[change](plan.id, ledger);
    printStatus(invocation, await bulk.getBulkStatus(plan.id, ledger));
  });
}

export async function bulkRetry(invocation: Invocation): Promise<void> {
  const { output, isDryRun, flag } = invocation;
  const encryptAgain = flag("encryptAgain");
  await withPlan(invocation, async (plan, ledger, { retryBulk, getBulkStatus }) => {
    const status = isDryRun ? await getBulkStatus(plan.id, ledger) : undefined;
    const files = status?.setAside ?? (await retryBulk(plan.id, ledger, { encryptAgain }));
    output.result({ files }, `${files} files are ready to be sent again`, String(files));
  });
}

export async function bulkRun(invocation: Invocation): Promise<void> {
  const { isDryRun, signal, output } = invocation;
  const workers = readCount(invocation, "workers");
  const attempts = readCount(invocation, "attempts");
  const batchesPerMinute = readCount(invocation, "batchesPerMinute");
  await withPlan(invocation, async (plan, ledger, { runBulk, getBulkStatus }) => {
    if (isDryRun) {
      printStatus(invocation, await getBulkStatus(plan, ledger));
      return output.note("Nothing was sent.");
    }
    const upload = await getUploadOptions(invocation, plan);
    const unlock = plan.encrypted ? await getUnlock(invocation) : undefined;
    const errors = await createErrorDisplay(invocation);
    const source = isBucket(plan.place) ? await openBucket(invocation, plan.place) : undefined;
    const status = await runBulk(plan, {
      ...{ workers, attempts, batchesPerMinute, unlock, upload, source, ledger, signal },
      onError: errors.show,
      onProgress({ name, bytes, bytesDone, files, filesDone }) {
        errors.setDone(filesDone);
        const fraction = bytes === 0 ? filesDone / files : bytesDone / bytes;
        output.progress(name, { phase: "uploading", loaded: bytesDone, total: bytes, fraction });
      },
    });
    if (status.filesDone < status.files) process.exitCode = EXIT.resumable;
    printStatus(invocation, status);
  });
}

export async function bulkEnqueue(invocation: Invocation): Promise<void> {
  const { output, isDryRun, signal } = invocation;
  const connection = requireUrl(invocation, "connection", "queue");
  const attempts = readCount(invocation, "attempts");
  await withPlan(invocation, async (plan, ledger, { enqueueBulk }) => {
    const batches = isDryRun ? plan.batches : await enqueueBulk(plan, { connection, ledger, signal, attempts });
    output.result({ batches }, `${batches} batches are in the queue`, String(batches));
  });
}

export async function bulkWorker(invocation: Invocation): Promise<void> {
  const { output, option, signal } = invocation;
  const { bulkWorker, openBulkLedger } = await loadBulk();
  const root = option("root");
  const folder = root === undefined ? undefined : { root };
  const unlock = await getUnlock(invocation);
  const ledger = await openBulkLedger(requireUrl(invocation, "ledger", "ledger"));
  try {
    const worker = await bulkWorker({
      connection: requireUrl(invocation, "connection", "queue"),
      ledger,
      unlock,
      // Plans of encrypted files require an identity, which shows that there are some.
      upload: await getUploadOptions(invocation, { encrypted: unlock !== undefined }),
      source: root !== undefined && isBucket(root) ? await openBucket(invocation, root) : folder,
      workers: readCount(invocation, "workers"),
      batchesPerMinute: readCount(invocation, "batchesPerMinute"),
      onError: (await createErrorDisplay(invocation)).show,
    });
    output.result({ ready: true });
    output.note("Waiting for batches. Press Ctrl-C to end it after those that are being sent.");
    if (!signal.aborted) await once(signal, "abort");
    await worker.close();
    if (worker.setAside > 0) {
      output.warn(`${worker.setAside} files were set aside: keeplight bulk status --set-aside lists why`);
      process.exitCode = EXIT.resumable;
    }
  } finally {
    await ledger.close();
  }
}

export async function bulkVerify(invocation: Invocation): Promise<void> {
  const { output, call, option } = invocation;
  const sample = Number(option("sample") ?? 100) / 100;
  if (!(sample > 0 && sample <= 1)) throw new UsageError("--sample takes a percentage above 0, to 100");
  await withPlan(invocation, async (plan, ledger, { verifyBulk }) => {
    const total = plan.bytes * sample;
    const { verified, lost, unread } = await verifyBulk(plan.id, {
      ...call,
      ledger,
      sample,
      onProgress({ bytes: loaded }) {
        // The files of a sample may be larger than the others.
        const fraction = Math.min(loaded / total, 0.99) || 0;
        output.progress(plan.name, { phase: "downloading", loaded, total, fraction });
      },
    });
    for (const path of lost) output.item({ path, code: "FILE_LOST" }, `lost  ${clean(path)}`, clean(path));
    for (const { path, code } of unread) output.item({ path, code }, `${code}  ${clean(path)}`);
    if (lost.length + unread.length > 0) process.exitCode = EXIT.resumable;
    if (lost.length > 0) output.warn("keeplight bulk retry makes the files that are lost ready to be sent again");
    output.result(
      { verified, lost: lost.length, unread: unread.length },
      `${verified} files are verified, ${lost.length} are lost, ${unread.length} could not be read`,
    );
  });
}
