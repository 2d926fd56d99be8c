import type { Invocation } from "../frame/invocation.ts";
import { UsageError } from "../frame/usage-error.ts";
import { getBackupAccount, getBackupState, loadBackup } from "../steps/backup.ts";
import { readCount } from "../steps/bulk.ts";
import { requireConsent } from "../steps/consent.ts";

/** Deletes snapshots of a folder, and the files that only they have. */
export async function run(invocation: Invocation): Promise<void> {
  const { argument, output } = invocation;
  const { keep } = readCount(invocation, "keep", "--keep");
  if (keep === undefined) throw new UsageError("How many snapshots are kept? Add --keep");
  const { pruneSnapshots } = await loadBackup();
  const state = await getBackupState(argument("folder"));
  await requireConsent(invocation, `Delete all snapshots of ${argument("folder")} but the ${keep} newest?`);
  const result = await pruneSnapshots({ ...(await getBackupAccount(invocation)), state, keep });
  const { kept, snapshots, batches } = result;
  output.result(result, {
    text: () => `${snapshots} snapshots and ${batches} batches of files deleted, ${kept} snapshots kept`,
    quiet: "",
  });
}
