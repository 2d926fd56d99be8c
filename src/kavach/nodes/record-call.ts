import type { JournalEntry } from "../../journal/entries.ts";
import type { JournalLike } from "../../journal/handle.ts";
import type { CallKind, JournaledCall } from "./kept-call.ts";

/** Records an owner call if there is a journal; see `openCallEntry`, which is loaded for that. */
export async function recordCall(
  journal: JournalLike | undefined,
  id: string | undefined,
  kind: CallKind,
  call: JournaledCall,
): Promise<JournalEntry<JournaledCall> | undefined> {
  if (journal === undefined) return undefined;
  const { openCallEntry } = await import("./journaled-call.ts");
  return openCallEntry(journal, id, kind, call);
}
