import { isKeeplightError, openJournal } from "../../../src/index.ts";
import { openBulkLedger, payBulk, readBulkPlan } from "../src/index.ts";
import type { PlanPayment } from "./child.ts";

// A process for tests that kill it: pays for a plan.
process.once("message", async ({ folder, journalFolder, ledgerPlace, ...payment }: PlanPayment) => {
  const ledger = await openBulkLedger(ledgerPlace);
  const journal = await openJournal({ folder: journalFolder });
  process.send?.("started");
  const plan = await readBulkPlan(folder);
  const report = await payBulk(plan, { ...payment, ledger, journal, pollMs: 5 }).then(
    ({ hash }) => hash,
    (error) => (isKeeplightError(error) ? error.code : String(error)),
  );
  await ledger.close();
  process.send?.(report);
  process.disconnect();
});
