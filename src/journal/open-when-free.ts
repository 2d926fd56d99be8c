import { wait } from "../base/async/abort.ts";
import { isKeeplightError } from "../base/errors/base.ts";
import { entryBusy } from "../base/errors/journal.ts";
import type { Entry } from "./entries.ts";
import { getEntries, type JournalLike } from "./handle.ts";

/** How often to try to take an entry that another call or process owns. */
const BUSY_POLL_MS = 50;

/**
 * Takes ownership of an entry, after the runs that own it before.
 *
 * @throws `JOURNAL_ENTRY_BUSY` after `waitMs`: a process that hangs never releases it
 */
export async function openWhenFree<State>(
  journal: JournalLike,
  kind: string,
  name: string,
  initial: State,
  { signal, waitMs }: { signal: AbortSignal | undefined; waitMs: number },
): Promise<Entry<State>> {
  const deadline = performance.now() + waitMs;
  const entries = getEntries(journal);
  for (;;) {
    try {
      return await entries.open(kind, name, initial);
    } catch (error) {
      if (!isKeeplightError(error, "JOURNAL_ENTRY_BUSY")) throw error;
      const { id } = error.details;
      if (performance.now() >= deadline) throw entryBusy(id, await entries.findOwner(id));
    }
    await wait(BUSY_POLL_MS, signal);
  }
}
