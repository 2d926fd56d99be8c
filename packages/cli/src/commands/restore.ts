import { resolve } from "node:path";
import type { RestoreProgress } from "@keeplight/bulk/backup";
import type { Invocation } from "../frame/invocation.ts";
import { clean } from "../output/clean.ts";
import { formatBytes, formatTime } from "../output/format.ts";
import { loadBackup } from "../steps/backup.ts";
import { readCount } from "../steps/bulk.ts";

/** Restores a snapshot. */
export async function run(invocation: Invocation): Promise<void> {
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
