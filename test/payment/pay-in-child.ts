import { isKeeplightError, openJournal, payWithToken } from "../../src/index.ts";
import type { ChildPayment, ChildReport } from "./child-rig.ts";

// A process for tests that kill it: makes the payment that it receives, with a journal.
process.once("message", async ({ folder, ...payment }: ChildPayment) => {
  process.send?.("started");
  const journal = await openJournal({ folder });
  const report: ChildReport = await payWithToken({ ...payment, journal, pollMs: 5 }).then(
    ({ hash }) => ({ hash }),
    (error) => ({ error: isKeeplightError(error) ? error.code : String(error) }),
  );
  process.send?.(report);
  process.disconnect();
});
