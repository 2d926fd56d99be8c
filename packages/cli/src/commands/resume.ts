import type { JournaledDrive } from "@keeplight/drive";
import type { Journal, OpenOperation, Progress } from "keeplight";
import { EXIT, UsageError } from "../frame/failure.ts";
import { type Invocation, openCommandJournal } from "../frame/invocation.ts";
import { resumeCommand } from "../frame/type-again.ts";
import { clean, formatTime } from "../output/format.ts";
import { formatTable } from "../output/table.ts";
import { findPayer, requireConsent } from "../steps/authority.ts";
import { listOpenDrives, withOpenDrive } from "../steps/drive.ts";
import { describeReceipt, findUploadPayer, loadPayPerUpload } from "../steps/pay-per-upload.ts";

export async function resume(invocation: Invocation): Promise<void> {
  const { list, flag, load, isDryRun } = invocation;
  const journal = await openCommandJournal(await load());
  const [id] = list("id");
  const open = await journal.list();
  const chosen = id === undefined ? open : open.filter((operation) => operation.id === id);
  if (id !== undefined && chosen.length === 0) {
    throw new UsageError(`There is no open operation ${id}`, "JOURNAL_ENTRY_UNKNOWN", "keeplight resume --list");
  }
  if (flag("discard")) return discard(invocation, journal, id, chosen);
  const drives = await listOpenDrives(journal);
  const isOver = open.length === 0 && drives.length === 0;
  if (flag("list") || isDryRun || isOver) return show(invocation, chosen, drives);
  const others = chosen.filter(({ kind }) => kind !== "payment");
  // Payments are completed only if they are named.
  const payments = id === undefined ? [] : chosen.filter(({ kind }) => kind === "payment");
  await complete(invocation, journal, { others, payments, drives, isAll: id === undefined });
}

function show({ option, output }: Invocation, open: readonly OpenOperation[], drives: readonly JournaledDrive[]): void {
  for (const { id, kind, names, cids, startedAt } of open) output.item({ id, kind, names, cids, startedAt });
  const rows = open.map((each) => [each.id, each.kind, formatTime(each.startedAt), describe(each)]);
  const columns = [{ title: "Id" }, { title: "Kind" }, { title: "Started" }, { title: "About", shrinks: true }];
  output.result(
    { completed: 0, open: open.length },
    (width) => (open.length > 0 ? formatTable(columns, rows, width) : "Nothing is open."),
    open.map(({ id }) => id).join("\n"),
  );
  for (const { account, unsaved } of drives)
    if (unsaved)
      output.note(`Names in the drive of ${account} are not stored yet: ${resumeCommand(option("profile"))}`);
}

/** What is to be completed. */
interface Work {
  others: readonly OpenOperation[];
  payments: readonly OpenOperation[];
  /** Of which only the journal has something. */
  drives: readonly JournaledDrive[];
  /** Whether everything is to be completed, not one operation. */
  isAll: boolean;
}

async function complete(
  invocation: Invocation,
  journal: Journal,
  { others, payments, drives, isAll }: Work,
): Promise<void> {
  const { output } = invocation;
  const paid = await completePayments(invocation, journal, payments);
  const sends = others.some(({ kind }) => kind === "upload");
  const work = () => completeOthers(invocation, journal, others);
  // Uploads with hidden names put their files into the drive, which has to be open for it.
  const needsDrive = drives.length > 0 && (sends || isAll);
  const done = await (needsDrive ? withOpenDrive(invocation, journal, drives, work) : work());
  const completed = paid.completed + done.completed;
  const left = await journal.list();
  output.result({ completed, open: left.length }, `${completed} completed, ${left.length} still open.`);
  if (paid.failed + done.failed > 0) process.exitCode = EXIT.resumable;
}

async function completeOthers(invocation: Invocation, journal: Journal, others: readonly OpenOperation[]) {
  const { output, option, keyCall, account, load, signal } = invocation;
  const counts = { completed: 0, failed: 0 };
  if (others.length === 0) return counts;
  const { isKeeplightError } = await load();
  const sends = others.some(({ kind }) => kind === "upload");
  const signer = await (sends ? account.ownSigner() : account.signer());
  // Only files that have to be sent again require it.
  const apiKey = await account.tryApiKey();
  for (const operation of others) {
    const { id, kind, names } = operation;
    const about = describe(operation);
    const resume = resumeCommand(option("profile"), id);
    try {
      const onProgress = (progress: Progress) => output.progress(about, progress);
      const payPerUpload = await findPayment(invocation, operation);
      const { result } = await journal.resume(id, { ...keyCall, signer, apiKey, payPerUpload, onProgress });
      counts.completed += 1;
      const cids = Array.isArray(result) ? result.map(({ Hash }) => Hash) : operation.cids;
      const text = `Completed ${kind} ${about}${cids.length === 1 ? `  ${cids[0]}` : ""}`;
      const receipt = Array.isArray(result) ? result[0]?.receipt : undefined;
      output.item({ id, kind, names, cids, outcome: "completed", receipt }, text, cids.join("\n"));
      if (receipt) output.note(describeReceipt(receipt));
    } catch (error) {
      if (signal.aborted) throw new UsageError("Interrupted", "ABORTED", undefined, resume);
      if (!isKeeplightError(error)) throw error;
      const { code, message } = error;
      if (code === "JOURNAL_ENTRY_UNKNOWN") continue;
      if (code === "OPERATION_UNDONE") {
        output.item({ id, kind, outcome: "undone", code, message });
        output.warn(`${kind} ${about} is over: ${message}`);
        continue;
      }
      counts.failed += 1;
      output.item({ id, kind, outcome: "failed", code, message, resume });
      output.warn(`${kind} ${about} is still open: ${message}`);
      if (code === "SOURCE_CHANGED") {
        output.note(`Put the file back as it was, or give the upload up and start again: ${resume} --discard`);
      }
    }
  }
  return counts;
}

/** An upload that is paid for stays one, up to the limit that it was started with. */
async function findPayment(invocation: Invocation, { payPerUpload: limit }: OpenOperation) {
  if (!limit) return undefined;
  const { payPerUpload } = await loadPayPerUpload();
  return payPerUpload({ signer: await findUploadPayer(invocation), ...limit });
}

async function discard(
  invocation: Invocation,
  journal: Journal,
  id: string | undefined,
  chosen: readonly OpenOperation[],
): Promise<void> {
  const { output, isDryRun } = invocation;
  if (id === undefined) throw new UsageError("--discard requires the id of one operation");
  const about = chosen.map(describe).join(", ");
  if (!isDryRun) {
    await requireConsent(invocation, `Discard ${about}? ${chosen.map(({ kind }) => describeLoss(kind)).join(" ")}`);
    // The drive forgets where the files were to be: a file whose keys are lost would become the current version.
    const isUpload = chosen.some(({ kind }) => kind === "upload");
    const drives = isUpload ? (await listOpenDrives(journal)).filter(({ uploading }) => uploading) : [];
    const remove = () => journal.discard(id);
    await (drives.length > 0 ? withOpenDrive(invocation, journal, drives, remove) : remove());
  }
  const kind = chosen[0]?.kind ?? "unreadable";
  output.item({ id, kind, outcome: "discarded" }, `${isDryRun ? "Would discard" : "Discarded"} ${about}`);
  output.result({ completed: 0, open: (await journal.list()).length });
}

function describeLoss(kind: OpenOperation["kind"]): string {
  if (kind === "payment") return "A transaction that was sent may still pay; paying again could then pay twice.";
  if (kind === "download" || kind === "decrypt") return "What has arrived of it is deleted.";
  if (kind === "upload" || kind === "queued" || kind === "unreadable") {
    return "The keys of files that are stored are lost with it.";
  }
  return "Key nodes that have not carried it out never will.";
}

function describe({ kind, names, cids }: Pick<OpenOperation, "kind" | "names" | "cids">): string {
  if (kind === "delegate") return "all encrypted files";
  const [first = "", ...others] = names.length > 0 ? names : cids;
  return clean(others.length > 0 ? `${first} and ${others.length} more` : first);
}

async function completePayments(invocation: Invocation, journal: Journal, payments: readonly OpenOperation[]) {
  const { load, option, output, signal } = invocation;
  const { resumePayments, isKeeplightError } = await load();
  const counts = { completed: 0, failed: 0 };
  if (payments.length === 0) return counts;
  const open = await journal.list();
  const ids = payments.map(({ id }) => id);
  for (const report of await resumePayments(journal, { ids, signal, ...(await findPayer(invocation)) })) {
    const { orderId } = report;
    const id = open.find(({ kind, names: [name] }) => kind === "payment" && name === orderId)?.id;
    const names = orderId === undefined ? [] : [orderId];
    const order = { id: id ?? orderId ?? "payment", kind: "payment", names, cids: [] };
    const about = orderId === undefined ? "payment" : `payment of order ${orderId}`;
    if ("payment" in report) {
      counts.completed += 1;
      const { hash, link } = report.payment;
      output.item({ ...order, outcome: "completed" }, `Completed ${about}: ${link || hash}`, hash);
    } else {
      counts.failed += 1;
      const { code, message } = isKeeplightError(report.error)
        ? report.error
        : { code: "INTERNAL", message: String(report.error) };
      const isOpen = (await journal.list()).some((each) => each.id === id);
      const resume = isOpen ? resumeCommand(option("profile"), id) : undefined;
      output.item({ ...order, outcome: "failed", code, message, resume });
      output.warn(`${about} ${isOpen ? "is still open" : "has failed"}: ${message}`);
    }
  }
  return counts;
}
