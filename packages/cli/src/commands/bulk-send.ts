import { once } from "node:events";
import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { clean } from "../output/format.ts";
import {
  createErrorDisplay,
  getConnection,
  getUnlock,
  getUploadOptions,
  loadBulk,
  printStatus,
  readCount,
  requireLedger,
  showProgress,
  withPlan,
} from "../steps/bulk.ts";

/** Sends the files of a plan in this process. */
export async function runBulkRun(invocation: Invocation): Promise<void> {
  const { isDryRun, signal, output } = invocation;
  const { runBulk, getBulkStatus } = await loadBulk();
  const limits = {
    ...readCount(invocation, "workers", "--workers"),
    ...readCount(invocation, "attempts", "--attempts"),
    ...readCount(invocation, "batchesPerMinute", "--batches-per-minute"),
  };
  await withPlan(invocation, async (plan, ledger) => {
    if (isDryRun) {
      printStatus(invocation, await getBulkStatus(plan, ledger));
      return output.note("Nothing was sent.");
    }
    const upload = await getUploadOptions(invocation, plan);
    const unlock = plan.encrypted ? await getUnlock(invocation) : {};
    const errors = await createErrorDisplay(invocation);
    const status = await runBulk(plan, {
      ...{ ...limits, ...unlock, upload, ledger, signal },
      onError: errors.show,
      onProgress(done) {
        errors.setDone(done.filesDone);
        showProgress(invocation, done);
      },
    });
    printStatus(invocation, status);
  });
}

/** Adds the batches of a plan to a queue. */
export async function runBulkEnqueue(invocation: Invocation): Promise<void> {
  const { output, isDryRun, signal } = invocation;
  const { enqueueBulk } = await loadBulk();
  const connection = getConnection(invocation);
  const attempts = readCount(invocation, "attempts", "--attempts");
  await withPlan(invocation, async (plan, ledger) => {
    const batches = isDryRun ? plan.batches : await enqueueBulk(plan, { connection, ledger, signal, ...attempts });
    output.result({ batches }, { text: () => `${batches} batches are in the queue`, quiet: String(batches) });
  });
}

/** Sends the batches of a queue until it is interrupted. */
export async function runBulkWorker(invocation: Invocation): Promise<void> {
  const { output, option, signal } = invocation;
  const { bulkWorker, openBulkLedger } = await loadBulk();
  const root = option("root");
  const unlock = await getUnlock(invocation);
  const ledger = await openBulkLedger(requireLedger(invocation));
  try {
    const worker = await bulkWorker({
      connection: getConnection(invocation),
      ledger,
      ...unlock,
      // Plans of encrypted files require an identity, which shows that there are some.
      upload: await getUploadOptions(invocation, { encrypted: unlock.unlock !== undefined }),
      ...(root === undefined ? {} : { source: { root } }),
      ...readCount(invocation, "workers", "--workers"),
      ...readCount(invocation, "batchesPerMinute", "--batches-per-minute"),
      onError: (await createErrorDisplay(invocation)).show,
    });
    output.result({ ready: true }, { text: () => "", quiet: "" });
    output.note("Waiting for batches. Press Ctrl-C to end it after those that are being sent.");
    if (!signal.aborted) await once(signal, "abort");
    await worker.close();
  } finally {
    await ledger.close();
  }
}

/** Reads the stored files of a plan back. */
export async function runBulkVerify(invocation: Invocation): Promise<void> {
  const { output, call, option } = invocation;
  const { verifyBulk } = await loadBulk();
  const typed = option("sample");
  const percent = typed === undefined ? 100 : Number(typed);
  if (!(percent > 0 && percent <= 100)) throw new UsageError("--sample takes a percentage above 0, to 100");
  await withPlan(invocation, async (plan, ledger) => {
    const sample = percent / 100;
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
    for (const path of lost)
      output.item({ path, code: "FILE_LOST" }, { text: () => `lost  ${clean(path)}`, quiet: clean(path) });
    for (const { path, code } of unread)
      output.item({ path, code }, { text: () => `${code}  ${clean(path)}`, quiet: "" });
    if (lost.length > 0) output.warn("keeplight bulk retry makes the files that are lost ready to be sent again");
    output.result(
      { verified, lost: lost.length, unread: unread.length },
      {
        text: () => `${verified} files are verified, ${lost.length} are lost, ${unread.length} could not be read`,
        quiet: "",
      },
    );
  });
}
