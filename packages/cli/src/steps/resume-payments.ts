import type { Journal } from "keeplight";
import type { Invocation } from "../frame/invocation.ts";
import { findPayer } from "./payer.ts";

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
