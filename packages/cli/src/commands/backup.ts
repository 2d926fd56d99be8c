import { resolve } from "node:path";
import type { BackupProgress, RestoreProgress } from "@keeplight/backup";
import { EXIT } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { clean, formatBytes } from "../output/format.ts";
import { getReader, getState, getWriter, loadBackup } from "../steps/backup.ts";
import { isBucket, openBucket } from "../steps/bucket.ts";
import { createErrorDisplay } from "../steps/bulk.ts";
import { createWalkFilter } from "../steps/filters.ts";
import { readIgnoreFile } from "../steps/ignore-file.ts";
import { readCount } from "../steps/inputs.ts";

export async function backup(invocation: Invocation): Promise<void> {
  const { argument, options, output, isDryRun, signal } = invocation;
  const folder = argument("folder");
  const bucket = isBucket(folder) ? await openBucket(invocation, folder) : undefined;
  const source = bucket ?? resolve(folder);
  const filter = await createWalkFilter(invocation, typeof source === "string" ? await readIgnoreFile(source) : "");
  const { backupFolder, previewBackup } = await loadBackup();
  const errors = await createErrorDisplay(invocation);
  const state = await getState(invocation);
  const preview = await previewBackup(source, { state, filter, onError: errors.show, signal });
  if (isDryRun) {
    const { files, filesToRead, bytesToRead } = preview;
    return output.result(preview, `Would read ${filesToRead} of ${files} files, ${formatBytes(bytesToRead)}`);
  }
  const onProgress = ({ bytes, sentBytes }: BackupProgress) => {
    errors.setDone(sentBytes);
    const total = Math.max(preview.bytes, bytes);
    output.progress(bucket?.place ?? resolve(folder), {
      phase: "uploading",
      loaded: bytes,
      total,
      fraction: total === 0 ? 0 : bytes / total,
    });
  };
  const { skipped, ...result } = await backupFolder(source, {
    ...(await getWriter(invocation)),
    tags: options("tag"),
    filter,
    onError: errors.show,
    onProgress,
  });
  for (const { path, code } of skipped) output.item({ path, code }, `${code}  ${clean(path)}`);
  if (skipped.length > 0) {
    output.warn("Some files could not be read: the snapshot has their last versions, if there are any");
    process.exitCode = EXIT.resumable;
  }
  const { cid, files, bytes, sentBytes, isUnchanged } = result;
  const changed = `${files} files, ${formatBytes(bytes)}, ${formatBytes(sentBytes)} sent:`;
  const text = `${isUnchanged ? "Nothing has changed since" : changed} snapshot ${cid}`;
  output.result({ ...result, skipped: skipped.length }, text, cid);
}

export async function restore(invocation: Invocation): Promise<void> {
  const { argument, option, flag, output, isDryRun } = invocation;
  const cid = argument("snapshot");
  const folder = resolve(argument("folder"));
  const { restoreBackup, listEntries } = await loadBackup();
  const path = option("path");
  const reader = { ...(await getReader(invocation)), path };
  if (isDryRun) {
    let [files, bytes] = [0, 0];
    for await (const entry of listEntries(cid, reader)) {
      if (entry.kind !== "file") continue;
      files += 1;
      bytes += entry.size;
    }
    return output.result({ files, bytes }, `Would restore ${files} files, ${formatBytes(bytes)}, to ${folder}`);
  }
  const onProgress = ({ files, total, bytes, totalBytes }: RestoreProgress) => {
    const fraction = totalBytes === 0 ? files / total : bytes / totalBytes;
    output.progress(folder, { phase: "downloading", loaded: bytes, total: totalBytes, fraction });
  };
  const { skipped, ...result } = await restoreBackup(cid, folder, {
    ...reader,
    workers: readCount(invocation, "workers"),
    overwrite: flag("overwrite"),
    outsideLinks: flag("outsideLinks"),
    onProgress,
  });
  for (const { path, reason } of skipped) output.item({ path, reason }, `left out (${reason})  ${clean(path)}`);
  if (skipped.length > 0) {
    output.warn("Not all of the snapshot was restored: what is left out, and why, is listed above");
    process.exitCode = EXIT.resumable;
  }
  const { files, bytes, restored } = result;
  const others = restored < files ? "; the others were there" : "";
  const text = `${restored} of ${files} files restored to ${folder}, ${formatBytes(bytes)}${others}`;
  output.result({ ...result, skipped: skipped.length }, text, folder);
}
