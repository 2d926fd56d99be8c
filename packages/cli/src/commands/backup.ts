import { createHash } from "node:crypto";
import { basename, join, resolve } from "node:path";
import type { BackupAccount, BackupProgress, PrunedFile, PruneOptions, RestoreProgress } from "@keeplight/bulk/backup";
import { EXIT, UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { clean, formatBytes, formatTime } from "../output/format.ts";
import { type Column, formatTable } from "../output/table.ts";
import { makeStateFolder } from "../settings.ts";
import { requireConsent } from "../steps/authority.ts";
import { createErrorDisplay, readCount } from "../steps/bulk.ts";

/** Backs up a folder. */
export async function runBackup(invocation: Invocation): Promise<void> {
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

/** Restores a snapshot. */
export async function runRestore(invocation: Invocation): Promise<void> {
  const { argument, flag, output, isDryRun, keyCall, account } = invocation;
  const cid = argument("snapshot");
  const folder = resolve(argument("folder"));
  const { restoreBackup, getSnapshot } = await loadBackup();
  const owner = { ...keyCall, signer: await account.signer() };
  if (isDryRun) {
    const { files, bytes, name, createdAt } = await getSnapshot(cid, owner);
    const about = `${files} files, ${formatBytes(bytes)}, of ${clean(name)} at ${formatTime(createdAt)}`;
    return output.result({ files, bytes }, { text: () => `Would restore ${about} to ${folder}`, quiet: "" });
  }
  const onProgress = ({ files, total, bytes, totalBytes }: RestoreProgress) => {
    const fraction = totalBytes === 0 ? files / total : bytes / totalBytes;
    output.progress(folder, { phase: "downloading", loaded: bytes, total: totalBytes, fraction });
  };
  const { skipped, ...result } = await restoreBackup(cid, folder, {
    ...owner,
    ...readCount(invocation, "workers", "--workers"),
    overwrite: flag("overwrite"),
    outsideLinks: flag("outsideLinks"),
    onProgress,
  });
  for (const { path, reason } of skipped) {
    output.item({ path, reason }, { text: () => `left out (${reason})  ${clean(path)}`, quiet: "" });
  }
  const { files, bytes, restored } = result;
  const others = restored < files ? "; the others were there" : "";
  output.result(
    { ...result, skipped: skipped.length },
    {
      text: () => `${restored} of ${files} files restored to ${folder}, ${formatBytes(bytes)}${others}`,
      quiet: folder,
    },
  );
}

const columns: readonly Column[] = [
  { title: "Folder", shrinks: true },
  { title: "Created" },
  { title: "Files", align: "right" },
  { title: "Size", align: "right" },
  { title: "Snapshot" },
];

/** Lists the snapshots of the account. */
export async function runSnapshots(invocation: Invocation): Promise<void> {
  const { output } = invocation;
  const { listSnapshots } = await loadBackup();
  const { snapshots, unread } = await listSnapshots(await getBackupAccount(invocation));
  if (invocation.flag("json")) for (const snapshot of snapshots) output.item(snapshot);
  for (const { cid, code } of unread) output.warn(`${clean(cid)} could not be opened: ${code}`);
  const rows = snapshots.map(({ name, createdAt, files, bytes, cid }) => [
    name,
    formatTime(createdAt),
    String(files),
    formatBytes(bytes),
    cid,
  ]);
  output.result(
    { count: snapshots.length, unread: unread.length },
    {
      text: (width) => {
        if (rows.length > 0) return formatTable(columns, rows, width);
        return unread.length > 0 ? "No snapshot could be opened." : "The account has no snapshots.";
      },
      quiet: snapshots.map(({ cid }) => cid).join("\n"),
    },
  );
}

/** Deletes snapshots of a folder, and the files that only they have. */
export async function runPrune(invocation: Invocation): Promise<void> {
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

/** Loads the functions for backups. */
export const loadBackup = () => import("@keeplight/bulk/backup");

/** Returns where the state of the backups of a folder is, for this user. */
export async function getBackupState(folder: string): Promise<string> {
  const path = resolve(folder);
  const name = basename(path).replace(/[^\w.-]+/g, "_");
  const hash = createHash("sha256").update(path).digest("hex").slice(0, 16);
  return join(await makeStateFolder(), "backups", `${name}-${hash}`);
}

/** The account that backups are stored for. */
export async function getBackupAccount({ account, keyCall }: Invocation): Promise<BackupAccount> {
  return { ...keyCall, ...(await account.owner()) };
}
