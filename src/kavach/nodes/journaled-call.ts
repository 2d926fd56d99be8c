import type { JournalEntry } from "../../journal/entries.ts";
import { getRecorder, type JournalLike } from "../../journal/handle.ts";
import { refuseOtherOwner } from "../../journal/refuse-other-owner.ts";

/** The kinds of owner calls in a journal. */
export type CallKind = "save" | "share" | "revoke" | "conditions" | "transfer" | "repair";

/** What a journal keeps of an owner call. */
export interface JournaledCall {
  /** Address. */
  owner: string;
  cid: string;
  /** The options that say what to do, and `endpoints`; never one that authenticates. */
  parameters: object;
  /** The nodes that have done it. */
  nodesDone: readonly number[];
}

/**
 * Records an owner call, before its first request that changes anything; or takes ownership of its entry again.
 *
 * @param id - of the entry that an unfinished call has left open
 * @throws `INVALID_OPTION` for another owner; `CANNOT_WRITE`, `JOURNAL_ENTRY_UNKNOWN`, `JOURNAL_ENTRY_BUSY`
 */
export async function openCallEntry(
  journal: JournalLike | undefined,
  id: string | undefined,
  kind: CallKind,
  call: JournaledCall,
): Promise<JournalEntry<JournaledCall> | undefined> {
  if (journal === undefined) return undefined;
  const recorder = getRecorder(journal);
  const entry =
    id === undefined
      ? await recorder.start<JournaledCall>(kind, call)
      : ((await recorder.acquire(id)) as JournalEntry<JournaledCall>);
  try {
    refuseOtherOwner(entry.state.owner, call.owner);
    return entry;
  } catch (error) {
    await entry.release();
    throw error;
  }
}
