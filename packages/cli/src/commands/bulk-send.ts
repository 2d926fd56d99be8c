import { once } from "node:events";
import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { clean } from "../output/format.ts";
import {
  createErrorDisplay,
  getUnlock,
  getUploadOptions,
  loadBulk,
  printStatus,
  requireUrl,
  showProgress,
  withPlan,
} from "../steps/bulk.ts";
import { readCount } from "../steps/inputs.ts";

export async function runBulkRun(invocation: Invocation): Promise<void> {
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
    const status = await runBulk(plan, {
      ...{ workers, attempts, batchesPerMinute, unlock, upload, ledger, signal },
      onError: errors.show,
      onProgress(done) {
        errors.setDone(done.filesDone);
        showProgress(invocation, done);
      },
    });
    printStatus(invocation, status);
  });
}

export async function runBulkEnqueue(invocation: Invocation): Promise<void> {
  const { output, isDryRun, signal } = invocation;
  const connection = requireUrl(invocation, "connection", "queue");
  const attempts = readCount(invocation, "attempts");
  await withPlan(invocation, async (plan, ledger, { enqueueBulk }) => {
    const batches = isDryRun ? plan.batches : await enqueueBulk(plan, { connection, ledger, signal, attempts });
    output.result({ batches }, `${batches} batches are in the queue`, String(batches));
  });
}

export async function runBulkWorker(invocation: Invocation): Promise<void> {
  const { output, option, signal } = invocation;
  const { bulkWorker, openBulkLedger } = await loadBulk();
  const root = option("root");
  const unlock = await getUnlock(invocation);
  const ledger = await openBulkLedger(requireUrl(invocation, "ledger", "ledger"));
  try {
    const worker = await bulkWorker({
      connection: requireUrl(invocation, "connection", "queue"),
      ledger,
      unlock,
      // Plans of encrypted files require an identity, which shows that there are some.
      upload: await getUploadOptions(invocation, { encrypted: unlock !== undefined }),
      source: root === undefined ? undefined : { root },
      workers: readCount(invocation, "workers"),
      batchesPerMinute: readCount(invocation, "batchesPerMinute"),
      onError: (await createErrorDisplay(invocation)).show,
    });
    output.result({ ready: true });
    output.note("Waiting for batches. Press Ctrl-C to end it after those that are being sent.");
    if (!signal.aborted) await once(signal, "abort");
    await worker.close();
  } finally {
    await ledger.close();
  }
}

export async function runBulkVerify(invocation: Invocation): Promise<void> {
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
    if (lost.length > 0) output.warn("keeplight bulk retry makes the files that are lost ready to be sent again");
    output.result(
      { verified, lost: lost.length, unread: unread.length },
      `${verified} files are verified, ${lost.length} are lost, ${unread.length} could not be read`,
    );
  });
}
