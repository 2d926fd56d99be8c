import type { Invocation } from "../frame/invocation.ts";
import { clean } from "../output/clean.ts";
import { formatBytes, formatTime } from "../output/format.ts";
import { type Column, formatTable } from "../output/table.ts";
import { getBackupAccount, loadBackup } from "../steps/backup.ts";

const columns: readonly Column[] = [
  { title: "Folder", shrinks: true },
  { title: "Created" },
  { title: "Files", align: "right" },
  { title: "Size", align: "right" },
  { title: "Snapshot" },
];

/** Lists the snapshots of the account. */
export async function run(invocation: Invocation): Promise<void> {
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
