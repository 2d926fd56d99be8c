import type { PrunedFile, PruneOptions } from "@keeplight/bulk/backup";
import type { Invocation } from "../frame/invocation.ts";
import { UsageError } from "../frame/usage-error.ts";
import { clean } from "../output/clean.ts";
import { formatBytes } from "../output/format.ts";
import { getBackupAccount, getBackupState, loadBackup } from "../steps/backup.ts";
import { readCount } from "../steps/bulk.ts";
import { requireConsent } from "../steps/consent.ts";

/** Deletes snapshots of a folder, and the files that only they have. */
export async function run(invocation: Invocation): Promise<void> {
  const { argument, output, isDryRun } = invocation;
  const { keep } = readCount(invocation, "keep", "--keep");
  if (keep === undefined) throw new UsageError("How many snapshots are kept? Add --keep");
  const { pruneSnapshots } = await loadBackup();
  const state = await getBackupState(argument("folder"));
  const question = `Delete all snapshots of ${argument("folder")} but the ${keep} newest?`;
  if (!isDryRun) await requireConsent(invocation, question);
  const options: PruneOptions = { ...(await getBackupAccount(invocation)), state, keep };
  if (isDryRun) return preview(invocation, options);
  const result = await pruneSnapshots(options);
  const { kept, snapshots, batches } = result;
  output.result(result, {
    text: () => `${snapshots} snapshots and ${batches} batches of files deleted, ${kept} snapshots kept`,
    quiet: "",
  });
}

async function preview({ output }: Invocation, options: PruneOptions): Promise<void> {
  const { previewPrune } = await loadBackup();
  const { kept, snapshots, batches } = await previewPrune(options);

  function show(kind: "snapshot" | "batch", { id, cid, name, bytes }: PrunedFile): void {
    const size = bytes === undefined ? "" : `, ${formatBytes(bytes)}`;
    const text = () => clean(`Would delete ${kind} ${name}${size}  ${cid}`);
    output.item({ kind, id, cid, name, bytes: bytes ?? null }, { text, quiet: clean(cid) });
  }

  for (const each of snapshots) show("snapshot", each);
  for (const each of batches) show("batch", each);
  const [first, second] = [snapshots.length, batches.length];
  output.result(
    { kept, snapshots: first, batches: second },
    {
      text: () => `Would delete ${first} snapshots and ${second} batches of files, and keep ${kept} snapshots`,
      quiet: "",
    },
  );
}
