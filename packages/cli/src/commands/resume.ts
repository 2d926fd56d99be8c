import type { Journal, OpenOperation } from "keeplight";
import { EXIT, UsageError } from "../frame/failure.ts";
import { type Invocation, openCommandJournal } from "../frame/invocation.ts";
import { clean, formatTime } from "../output/format.ts";
import { formatTable } from "../output/table.ts";
import { findPayer, requireConsent } from "../steps/authority.ts";

/** Completes what was interrupted. */
export async function runResume(invocation: Invocation): Promise<void> {
  const { list, flag, load, isDryRun } = invocation;
  const journal = await openCommandJournal(await load());
  const [id] = list("id");
  const open = await journal.list();
  const chosen = id === undefined ? open : open.filter((operation) => operation.id === id);
  if (id !== undefined && chosen.length === 0) {
    throw new UsageError(`There is no open operation ${id}`, {
      code: "JOURNAL_ENTRY_UNKNOWN",
      hint: "keeplight resume --list",
    });
  }
  if (flag("discard")) return discard(invocation, journal, id, chosen);
  if (flag("list") || isDryRun) return show(invocation, chosen);
  await complete(
    invocation,
    journal,
    id === undefined ? chosen.filter(({ kind }) => kind !== "payment") : chosen,
    open,
  );
}

function show({ output }: Invocation, open: readonly OpenOperation[]): void {
  for (const { id, kind, names, cids, startedAt } of open) output.item({ id, kind, names, cids, startedAt });
  const rows = open.map(({ id, kind, names, cids, startedAt }) => [
    id,
    kind,
    formatTime(startedAt),
    describe({ kind, names, cids }),
  ]);
  const columns = [{ title: "Id" }, { title: "Kind" }, { title: "Started" }, { title: "About", shrinks: true }];
  output.result(
    { completed: 0, open: open.length },
    {
      text: (width) => (open.length > 0 ? formatTable(columns, rows, width) : "Nothing is open."),
      quiet: open.map(({ id }) => id).join("\n"),
    },
  );
}

async function complete(
  invocation: Invocation,
  journal: Journal,
  chosen: readonly OpenOperation[],
  open: readonly OpenOperation[],
): Promise<void> {
  const { output, keyCall, account, load } = invocation;
  const { isKeeplightError } = await load();
  let completed = 0;
  const failures: unknown[] = [];
  const payments = chosen.filter(({ kind }) => kind === "payment").map(({ id }) => id);
  if (payments.length > 0) completed += await resumeOpenPayments(invocation, journal, payments, failures);
  const others = chosen.filter(({ kind }) => kind !== "payment");
  const sends = others.some(({ kind }) => kind === "upload");
  const owner = others.length > 0 ? { signer: await (sends ? account.ownSigner() : account.signer()) } : undefined;
  // Only files that have to be sent again require it.
  const apiKey = await account.tryApiKey();
  for (const operation of others) {
    const { id, kind } = operation;
    const about = describe(operation);
    try {
      if (!owner) break;
      const onProgress = (progress: Parameters<typeof output.progress>[1]) => output.progress(about, progress);
      const { result } = await journal.resume(id, { ...keyCall, ...owner, apiKey, onProgress });
      completed += 1;
      const cids = Array.isArray(result) ? result.map(({ Hash }) => Hash) : operation.cids;
      output.item(
        { id, kind, names: operation.names, cids, outcome: "completed" },
        { text: () => `Completed ${kind} ${about}${cids.length === 1 ? `  ${cids[0]}` : ""}`, quiet: cids.join("\n") },
      );
    } catch (error) {
      if (invocation.signal.aborted) {
        throw new UsageError("Interrupted", { code: "ABORTED", resume: `keeplight resume ${id}` });
      }
      if (!isKeeplightError(error)) throw error;
      if (error.code === "JOURNAL_ENTRY_UNKNOWN") continue;
      if (error.code === "OPERATION_UNDONE") {
        output.item({ id, kind, outcome: "undone", code: error.code, message: error.message });
        output.warn(`${kind} ${about} is over: ${error.message}`);
        continue;
      }
      failures.push(error);
      const resume = `keeplight resume ${id}`;
      output.item({ id, kind, outcome: "failed", code: error.code, message: error.message, resume });
      output.warn(`${kind} ${about} is still open: ${error.message}`);
    }
  }
  const left = await journal.list();
  output.result(
    { completed, open: left.length },
    {
      text: () => (open.length === 0 ? "Nothing is open." : `${completed} completed, ${left.length} still open.`),
      quiet: "",
    },
  );
  if (failures.length > 0) process.exitCode = EXIT.resumable;
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
    await requireConsent(invocation, `Discard ${about}? The keys of files that are stored are lost with it.`);
    await journal.discard(id);
  }
  const kind = chosen[0]?.kind ?? "unreadable";
  output.item(
    { id, kind, outcome: "discarded" },
    { text: () => `${isDryRun ? "Would discard" : "Discarded"} ${about}`, quiet: "" },
  );
  output.result({ completed: 0, open: (await journal.list()).length }, { text: () => "", quiet: "" });
}

function describe({ kind, names, cids }: Pick<OpenOperation, "kind" | "names" | "cids">): string {
  if (kind === "delegate") return "all encrypted files";
  const [first = "", ...others] = names.length > 0 ? names : cids;
  return clean(others.length > 0 ? `${first} and ${others.length} more` : first);
}

/** Completes the payments with these ids; adds what stops one to `failures`. Returns how many are complete. */
export async function resumeOpenPayments(
  invocation: Invocation,
  journal: Journal,
  ids: readonly string[],
  failures: unknown[],
): Promise<number> {
  const { load, output, signal } = invocation;
  const { resumePayments, isKeeplightError } = await load();
  const open = await journal.list();
  let completed = 0;
  for (const report of await resumePayments(journal, { ids, signal, ...(await findPayer(invocation)) })) {
    const { orderId } = report;
    const id = open.find(({ kind, names: [name] }) => kind === "payment" && name === orderId)?.id;
    const names = orderId === undefined ? [] : [orderId];
    const order = { id: id ?? orderId ?? "payment", kind: "payment", names, cids: [] };
    const about = orderId === undefined ? "payment" : `payment of order ${orderId}`;
    if ("payment" in report) {
      completed += 1;
      const { hash, link } = report.payment;
      output.item(
        { ...order, outcome: "completed" },
        { text: () => `Completed ${about}: ${link || hash}`, quiet: hash },
      );
    } else {
      failures.push(report.error);
      const known = isKeeplightError(report.error) ? report.error : undefined;
      const message = known?.message ?? String(report.error);
      const isOpen = (await journal.list()).some((each) => each.id === id);
      const resume = isOpen ? { resume: `keeplight resume ${id}` } : {};
      output.item({ ...order, outcome: "failed", code: known?.code ?? "INTERNAL", message, ...resume });
      output.warn(`${about} ${isOpen ? "is still open" : "has failed"}: ${message}`);
    }
  }
  return completed;
}
