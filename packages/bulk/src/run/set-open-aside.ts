import { isDone } from "../ledger/transition.ts";
import type { Ledger, LedgerPlan } from "../ledger/types.ts";
import { toProblem } from "./classify-error.ts";
import type { BatchOutcome } from "./run-batch.ts";

/** Sets all files of a batch aside that are not done, because of the error of its last attempt. */
export async function setOpenAside(
  ledger: Ledger,
  { id, encrypted }: LedgerPlan,
  batch: number,
  error: unknown,
): Promise<BatchOutcome> {
  const ownership = await ledger.own(id, batch);
  if (!ownership) return "busy";
  try {
    const before = await ledger.read(id, batch);
    const problem = toProblem(error);
    const open = before.filter((row) => !isDone(row, encrypted));
    const changes = open.map(({ index, status }) => ({ index, from: status, to: status, problem }));
    return (await ledger.change(id, batch, changes)) ?? before;
  } finally {
    await ownership.release();
  }
}
