import type { CheckProgress, Entry, ForgetResult, Snapshot } from "@keeplight/backup";
import { EXIT, UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { clean, formatBytes, formatTime } from "../output/format.ts";
import { type Column, formatTable } from "../output/table.ts";
import { requireConsent } from "../steps/authority.ts";
import { getAccount, getReader, getWriter, loadBackup, readRetention } from "../steps/backup.ts";
import { toRoot } from "../steps/bucket.ts";
import { readWhole } from "../steps/inputs.ts";

const columns: readonly Column[] = [
  { title: "Folder", shrinks: true },
  { title: "Machine" },
  { title: "Created" },
  { title: "Tags" },
  { title: "Files", align: "right" },
  { title: "Size", align: "right" },
  { title: "Snapshot" },
];

const toRow = ({ root, host, createdAt, tags, files, bytes, cid }: Snapshot) => {
  return [root, host, formatTime(createdAt), tags.join(" "), String(files), formatBytes(bytes), cid];
};

const toItem = (snapshot: Snapshot) => ({ ...snapshot, isFirstFormat: snapshot.isFirstFormat === true });

export async function snapshots(invocation: Invocation): Promise<void> {
  const { output, option, options, account } = invocation;
  const { listSnapshots } = await loadBackup();
  const opened =
    option("kit") === undefined
      ? await getAccount(invocation)
      : { apiKey: await account.apiKey(), ...(await getReader(invocation)) };
  const { snapshots, unread } = await listSnapshots({ ...opened, tags: options("tag") });
  if (invocation.flag("json")) for (const snapshot of snapshots) output.item(toItem(snapshot));
  for (const { cid, code } of unread) output.warn(`${clean(cid)} could not be opened: ${code}`);
  const none = unread.length > 0 ? "No snapshot could be opened." : "The account has no snapshots.";
  output.result(
    { count: snapshots.length, unread: unread.length },
    (width) => (snapshots.length > 0 ? formatTable(columns, snapshots.map(toRow), width) : none),
    snapshots.map(({ cid }) => cid).join("\n"),
  );
}

export async function snapshotLs(invocation: Invocation): Promise<void> {
  const { output, argument } = invocation;
  const { listEntries } = await loadBackup();
  const path = argument("path") || undefined;
  let count = 0;
  for await (const entry of listEntries(argument("snapshot"), { ...(await getReader(invocation)), path })) {
    const shown = entry.kind === "file" ? formatBytes(entry.size) : entry.kind;
    output.item(toFacts(entry), `${shown.padStart(10)}  ${clean(entry.path)}`, clean(entry.path));
    count += 1;
  }
  output.result({ count });
}

function toFacts(entry: Entry) {
  const { path, kind } = entry;
  if (kind === "file") return { path, kind, size: entry.size, mtime: entry.mtime };
  if (kind === "link") return { path, kind, target: entry.target };
  return kind === "name" ? { path, kind, target: entry.of } : { path, kind, mtime: entry.mtime };
}

const SIGNS = { added: "+", removed: "-", content: "M", facts: "m" };

export async function snapshotDiff(invocation: Invocation): Promise<void> {
  const { output, argument } = invocation;
  const { diffSnapshots } = await loadBackup();
  const counts = { added: 0, removed: 0, content: 0, facts: 0 };
  const reader = await getReader(invocation);
  for await (const { path, change } of diffSnapshots(argument("before"), argument("after"), reader)) {
    output.item({ path, change }, `${SIGNS[change]}  ${clean(path)}`, clean(path));
    counts[change] += 1;
  }
  output.result(counts);
  const { added, removed, content, facts } = counts;
  output.note(`${added} added, ${removed} removed, ${content} changed, ${facts} only in mode or time`);
}

export async function snapshotCheck(invocation: Invocation): Promise<void> {
  const { output } = invocation;
  const { checkBackups } = await loadBackup();
  const onProgress = ({ bytes, total }: CheckProgress) =>
    output.progress("packs", { phase: "downloading", loaded: bytes, total, fraction: total === 0 ? 1 : bytes / total });
  const bytes = readWhole(invocation, "sample");
  const { problems, ...checked } = await checkBackups({ ...(await getAccount(invocation)), bytes, onProgress });
  for (const { kind, cid, code, message } of problems) {
    output.item({ kind, cid, code, message }, `${code}  ${kind} ${clean(cid)}: ${clean(message)}`, clean(cid));
  }
  const { snapshots, packs, notChecked } = checked;
  if (notChecked > 0) output.warn(`${notChecked} snapshots of the first format were not checked`);
  const what = `${snapshots} snapshots are complete, ${packs} packs read, ${formatBytes(checked.bytes)}`;
  output.result({ ...checked, problems: problems.length }, what);
  if (problems.length === 0) return;
  output.warn(`${problems.length} problems were found`);
  process.exitCode = EXIT.failed;
}

export async function forget(invocation: Invocation): Promise<void> {
  const { argument, option, output, isDryRun } = invocation;
  const cid = argument("snapshot");
  const folder = option("folder");
  const keep = readRetention(invocation);
  if (cid !== "") {
    if (keep || folder !== undefined || option("machine") !== undefined)
      throw new UsageError("A snapshot is forgotten by itself, without rules");
    return forgetOne(invocation, cid);
  }
  if (!keep) throw new UsageError("Which snapshots are kept? Add --keep-last, --keep-days or another rule");
  const { forgetSnapshots, previewForget } = await loadBackup();
  const rules = {
    ...(await getAccount(invocation)),
    keep,
    root: folder && toRoot(folder),
    host: option("machine"),
    storage: option("storage"),
  };
  const count = ({ forgotten, kept }: ForgetResult) => ({ forgotten: forgotten.length, kept: kept.length });
  const show = ({ forgotten }: ForgetResult) => {
    for (const each of forgotten)
      output.item(toItem(each), `${formatTime(each.createdAt)}  ${clean(each.root)}  ${each.cid}`, each.cid);
  };
  if (isDryRun) {
    const preview = await previewForget(rules);
    show(preview);
    const planned = count(preview);
    return output.result(planned, `Would forget ${planned.forgotten} snapshots, and keep ${planned.kept}`);
  }
  const confirm = async (decided: ForgetResult) => {
    show(decided);
    const { length } = decided.forgotten;
    if (length > 0) await requireConsent(invocation, `Forget these ${length} snapshots?`);
  };
  const done = count(await forgetSnapshots({ ...rules, confirm }));
  const text = `${done.forgotten} snapshots forgotten, ${done.kept} kept. keeplight prune deletes what only they needed.`;
  output.result(done, text);
}

async function forgetOne(invocation: Invocation, cid: string): Promise<void> {
  const { option, output, isDryRun } = invocation;
  const { forgetSnapshot, listSnapshots } = await loadBackup();
  const account = await getAccount(invocation);
  if (isDryRun) {
    const { snapshots, unread } = await listSnapshots(account);
    if (![...snapshots, ...unread].some((each) => each.cid === cid))
      throw new UsageError(`The account has no snapshot ${cid}`, "NOT_FOUND");
    return output.result({ forgotten: 1 }, `Would forget ${clean(cid)}`, clean(cid));
  }
  await requireConsent(invocation, `Forget the snapshot ${cid}?`);
  await forgetSnapshot(cid, { ...account, storage: option("storage") });
  output.result({ forgotten: 1 }, `${clean(cid)} is forgotten`, clean(cid));
}

export async function prune(invocation: Invocation): Promise<void> {
  const { output, isDryRun } = invocation;
  const days = readWhole(invocation, "graceDays");
  const { previewPrune, pruneBackups } = await loadBackup();
  const options = { ...(await getWriter(invocation)), graceMs: days === undefined ? undefined : days * 86_400_000 };
  const result = await (isDryRun ? previewPrune : pruneBackups)(options);
  const { kept, marked, deleted, repacked } = result;
  const what = `${deleted} packs deleted, ${marked} marked, to be deleted by a later call, ${repacked} repacked, ${kept} kept`;
  output.result(result, isDryRun ? `Would be: ${what}` : what);
}
