import type { Journal } from "../../index.ts";
import type { Invocation } from "../frame/invocation.ts";
import { findPayer } from "./payer.ts";

/** Completes all payments that the account has started; adds what stops one to `failures`. Returns how many are complete. */
export async function resumeOpenPayments(
  invocation: Invocation,
  journal: Journal,
  failures: unknown[],
): Promise<number> {
  const { load, output, signal } = invocation;
  const { resumePayments, isKeeplightError } = await load();
  let completed = 0;
  for (const report of await resumePayments(journal, { signal, ...(await findPayer(invocation)) })) {
    const id = report.orderId ?? "payment";
    if ("payment" in report) {
      completed += 1;
      const { hash, link } = report.payment;
      output.item(
        { id, kind: "payment", names: [id], cids: [], outcome: "completed" },
        { text: () => `Completed payment ${link || hash}`, quiet: hash },
      );
    } else {
      failures.push(report.error);
      const known = isKeeplightError(report.error) ? report.error : undefined;
      const message = known?.message ?? String(report.error);
      output.item({ id, kind: "payment", outcome: "failed", code: known?.code ?? "INTERNAL", message });
      output.warn(`Payment ${id}: ${message}`);
    }
  }
  return completed;
}
