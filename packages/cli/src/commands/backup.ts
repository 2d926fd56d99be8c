import { createHash } from "node:crypto";
import { basename, join, resolve } from "node:path";
import type {
  BackupAccount,
  BackupProgress,
  PrunedFile,
  PrunePreview,
  RestoreProgress,
  Snapshot,
} from "@keeplight/bulk/backup";
import { EXIT, UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { clean, formatBytes, formatTime } from "../output/format.ts";
import { type Column, formatTable } from "../output/table.ts";
import { makeStateFolder } from "../settings.ts";
import { requireConsent } from "../steps/authority.ts";
import { createErrorDisplay } from "../steps/bulk.ts";
import { readCount } from "../steps/inputs.ts";

export async function backup(invocation: Invocation): Promise<void> {
  const { argument, flag, output, isDryRun, signal } = invocation;
  const folder = resolve(argument("folder"));
  const { state, refuse } = await getBackupState(invocation, folder);
  const { backupFolder, previewBackup } = await loadBackup();
  if (isDryRun) {
    const preview = await previewBackup(folder, { state, signal }).catch(refuse);
    const { files, filesToSend, bytesToSend } = preview;
    return output.result(preview, `Would send ${filesToSend} of ${files} files, ${formatBytes(bytesToSend)}`);
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
    workers: readCount(invocation, "workers"),
    storage: invocation.option("storage"),
    state,
    onError: errors.show,
    onProgress,
    public: flag("public"),
  }).catch(refuse);
  for (const { path, code } of skipped) output.item({ path, code }, `${code}  ${clean(path)}`);
  const { cid, files, bytes, sent, isUnchanged } = result;
  const changed = `${sent} of ${files} files sent, ${formatBytes(bytes)} in`;
  if (skipped.length > 0) {
    output.warn("Some files could not be read: the snapshot has their last versions, if there are any");
    process.exitCode = EXIT.resumable;
  }
  const text = `${isUnchanged ? "Nothing has changed since" : changed} snapshot ${cid}`;
  output.result({ ...result, skipped: skipped.length }, text, cid);
}

export async function restore(invocation: Invocation): Promise<void> {
  const { argument, flag, output, isDryRun, keyCall, account } = invocation;
  const cid = argument("snapshot");
  const folder = resolve(argument("folder"));
  const { restoreBackup, getSnapshot } = await loadBackup();
  const owner = { ...keyCall, signer: await account.signer() };
  if (isDryRun) {
    const { files, bytes, name, createdAt } = await getSnapshot(cid, owner);
    const about = `${files} files, ${formatBytes(bytes)}, of ${clean(name)} at ${formatTime(createdAt)}`;
    return output.result({ files, bytes }, `Would restore ${about} to ${folder}`);
  }
  const onProgress = ({ files, total, bytes, totalBytes }: RestoreProgress) => {
    const fraction = totalBytes === 0 ? files / total : bytes / totalBytes;
    output.progress(folder, { phase: "downloading", loaded: bytes, total: totalBytes, fraction });
  };
  const { skipped, ...result } = await restoreBackup(cid, folder, {
    ...owner,
    workers: readCount(invocation, "workers"),
    overwrite: flag("overwrite"),
    outsideLinks: flag("outsideLinks"),
    onProgress,
  });
  for (const { path, reason } of skipped) output.item({ path, reason }, `left out (${reason})  ${clean(path)}`);
  const { files, bytes, restored } = result;
  const others = restored < files ? "; the others were there" : "";
  const text = `${restored} of ${files} files restored to ${folder}, ${formatBytes(bytes)}${others}`;
  output.result({ ...result, skipped: skipped.length }, text, folder);
}

const columns: readonly Column[] = [
  { title: "Folder", shrinks: true },
  { title: "Created" },
  { title: "Files", align: "right" },
  { title: "Size", align: "right" },
  { title: "Snapshot" },
];

export async function snapshots(invocation: Invocation): Promise<void> {
  const { output } = invocation;
  const { listSnapshots } = await loadBackup();
  const { snapshots, unread } = await listSnapshots(await getBackupAccount(invocation));
  if (invocation.flag("json")) for (const snapshot of snapshots) output.item(snapshot);
  for (const { cid, code } of unread) output.warn(`${clean(cid)} could not be opened: ${code}`);
  const toRow = ({ name, createdAt, files, bytes, cid }: Snapshot) => {
    return [name, formatTime(createdAt), String(files), formatBytes(bytes), cid];
  };
  const none = unread.length > 0 ? "No snapshot could be opened." : "The account has no snapshots.";
  output.result(
    { count: snapshots.length, unread: unread.length },
    (width) => (snapshots.length > 0 ? formatTable(columns, snapshots.map(toRow), width) : none),
    snapshots.map(({ cid }) => cid).join("\n"),
  );
}

export async function prune(invocation: Invocation): Promise<void> {
  const { argument, output, isDryRun } = invocation;
  const keep = readCount(invocation, "keep");
  if (keep === undefined) throw new UsageError("How many snapshots are kept? Add --keep");
  const folder = argument("folder");
  const { pruneSnapshots, previewPrune } = await loadBackup();
  const { state, refuse } = await getBackupState(invocation, folder);
  const question = `Delete all snapshots of ${folder} but the ${keep} newest?`;
  if (!isDryRun) await requireConsent(invocation, question);
  const options = { ...(await getBackupAccount(invocation)), state, keep, storage: invocation.option("storage") };
  if (isDryRun) return showPruned(invocation, await previewPrune(options).catch(refuse));
  const result = await pruneSnapshots(options).catch(refuse);
  const { kept, snapshots, batches } = result;
  output.result(result, `${snapshots} snapshots and ${batches} batches of files deleted, ${kept} snapshots kept`);
}

function showPruned({ output }: Invocation, { kept, snapshots, batches }: PrunePreview): void {
  const show = (kind: "snapshot" | "batch", { id, cid, name, bytes }: PrunedFile) => {
    const size = bytes === undefined ? "" : `, ${formatBytes(bytes)}`;
    const text = clean(`Would delete ${kind} ${name}${size}  ${cid}`);
    output.item({ kind, id, cid, name, bytes: bytes ?? null }, text, clean(cid));
  };
  for (const each of snapshots) show("snapshot", each);
  for (const each of batches) show("batch", each);
  const [first, second] = [snapshots.length, batches.length];
  output.result(
    { kept, snapshots: first, batches: second },
    `Would delete ${first} snapshots and ${second} batches of files, and keep ${kept} snapshots`,
  );
}

const loadBackup = () => import("@keeplight/bulk/backup");

/** Returns where the state of the backups of a folder is, for this user; `refuse` names it if the package refuses it. */
async function getBackupState({ load }: Invocation, folder: string) {
  const path = resolve(folder);
  const name = basename(path).replace(/[^\w.-]+/g, "_");
  const hash = createHash("sha256").update(path).digest("hex").slice(0, 16);
  const state = join(await makeStateFolder(), "backups", `${name}-${hash}`);
  const refuse = async (error: unknown): Promise<never> => {
    const { isKeeplightError, KeeplightError } = await load();
    if (!isKeeplightError(error, "INVALID_OPTION") || error.details["option"] !== "state") throw error;
    const about = `The state of the backups of ${path}, in ${state}, cannot be used`;
    throw new KeeplightError(error.code, error.message.replace("Invalid option state", about), {
      details: error.details,
    });
  };
  return { state, refuse };
}

/** The account that backups are stored for. */
async function getBackupAccount({ account, keyCall }: Invocation): Promise<BackupAccount> {
  return { ...keyCall, ...(await account.owner()) };
}
