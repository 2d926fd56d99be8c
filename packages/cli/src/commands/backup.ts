import { resolve } from "node:path";
import type { BackupProgress } from "@keeplight/bulk/backup";
import { EXIT } from "../frame/exit-codes.ts";
import type { Invocation } from "../frame/invocation.ts";
import { clean } from "../output/clean.ts";
import { formatBytes } from "../output/format.ts";
import { getBackupAccount, getBackupState, loadBackup } from "../steps/backup.ts";
import { readCount } from "../steps/bulk.ts";
import { createErrorDisplay } from "../steps/show-errors.ts";

/** Backs up a folder. */
export async function run(invocation: Invocation): Promise<void> {
  const { argument, flag, output, isDryRun, signal } = invocation;
  const folder = resolve(argument("folder"));
  const state = await getBackupState(folder);
  const { backupFolder, previewBackup } = await loadBackup();
  if (isDryRun) {
    const preview = await previewBackup(folder, { state, signal });
    const { files, filesToSend, bytesToSend } = preview;
    const text = () => `Would send ${filesToSend} of ${files} files, ${formatBytes(bytesToSend)}`;
    return output.result(preview, { text, quiet: "" });
  }
  const errors = await createErrorDisplay(invocation);
  const onProgress = ({ phase, files, total = files }: BackupProgress) => {
    const fraction = total === 0 ? 0 : files / total;
    if (phase !== "sending") return;
    errors.setDone(files);
    output.progress(folder, { phase: "uploading", loaded: files, total, fraction });
  };
  const { skipped, ...result } = await backupFolder(folder, {
    ...(await getBackupAccount(invocation)),
    ...readCount(invocation, "workers", "--workers"),
    state,
    onError: errors.show,
    onProgress,
    ...(flag("public") ? { public: true } : {}),
  });
  for (const { path, code } of skipped) {
    output.item({ path, code }, { text: () => `${code}  ${clean(path)}`, quiet: "" });
  }
  const { cid, files, bytes, sent, isUnchanged } = result;
  const summary = isUnchanged
    ? "Nothing has changed since"
    : `${sent} of ${files} files sent, ${formatBytes(bytes)} in`;
  if (skipped.length > 0) {
    output.warn("Some files could not be read: the snapshot has their last versions, if there are any");
    process.exitCode = EXIT.resumable;
  }
  output.result({ ...result, skipped: skipped.length }, { text: () => `${summary} snapshot ${cid}`, quiet: cid });
}
