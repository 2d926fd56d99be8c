import { ignore, KeeplightError } from "../../base/errors/base.ts";
import { unknownEntry } from "../../base/errors/journal.ts";
import type { Entries, Entry, EntryData } from "../../journal/entries.ts";
import { getEntries, type JournalLike } from "../../journal/handle.ts";
import { refuseOtherOwner } from "../../journal/operations.ts";
import { type CallKind, type Change, findChange, isCallKind, type OwnerCallState } from "./supersede.ts";

// Loaded only by calls with a journal.

/** The open entry that a call continues: one that this process owns already, or the id of one that an error has named. */
export type EarlierEntry = Entry<OwnerCallState> | string;

/**
 * Starts the entry of an owner call, before its first request that changes anything; or takes ownership of that of an
 * earlier call. Earlier calls and uploads that are open and would undo it are changed first.
 *
 * @throws `INVALID_OPTION` for another owner; `CANNOT_WRITE`, `JOURNAL_ENTRY_UNKNOWN`, `JOURNAL_ENTRY_BUSY`
 */
export async function openCallEntry(
  journal: JournalLike,
  kind: CallKind,
  call: OwnerCallState,
  earlier?: EarlierEntry,
): Promise<Entry<OwnerCallState>> {
  const entries = getEntries(journal);
  const isNew = earlier === undefined;
  const entry =
    typeof earlier === "string"
      ? ((await entries.acquire(earlier)) as Entry<OwnerCallState>)
      : (earlier ?? (await entries.start(kind, call)));
  try {
    refuseOtherOwner(entry.state.owner, call.owner);
    const others = await listOthers(entries, entry);
    if (typeof earlier === "string" && isChanged(entry, others)) {
      // The error of the call that started the operation would do too much.
      const message = `A later call has left less to do of the operation ${earlier}: resume it from the journal`;
      throw new KeeplightError("JOURNAL_ENTRY_UNKNOWN", message, { details: { id: earlier } });
    }
    // A new call follows all that are open.
    if (isNew) await entry.follow(others);
    await supersedeAll(entries, entry, isNew ? others : others.filter(({ isLater }) => !isLater));
    return entry;
  } catch (error) {
    await (isNew ? entry.complete() : entry.release());
    throw error;
  }
}

/** Whether later calls have left less to do of a call, or will once they are resumed. */
function isChanged(entry: Entry<OwnerCallState>, others: readonly OtherOperation[]): boolean {
  if (entry.state.isChanged) return true;
  return others.some((other) => isLaterCall(other) && findChange(entry, other) !== "none");
}

/**
 * Leaves of an operation that is to be continued only what later calls have left to do: a process may have been killed
 * right after it started the entry of a later call.
 *
 * @throws `JOURNAL_ENTRY_UNKNOWN` if nothing is left
 */
export async function applyLaterCalls(journal: JournalLike, entry: Entry): Promise<void> {
  for (const other of await listOthers(getEntries(journal), entry)) {
    if (!isLaterCall(other)) continue;
    if (!(await applyChange(entry, findChange(entry, other)))) throw unknownEntry(entry.id);
  }
}

interface OtherOperation extends EntryData {
  /** Whether it was started after the entry. */
  isLater: boolean;
}

function isLaterCall({ isLater, kind }: OtherOperation): boolean {
  return isLater && isCallKind(kind);
}

async function listOthers(entries: Entries, { id, startedAt }: Entry): Promise<OtherOperation[]> {
  const all = await entries.list();
  return all.flatMap((other) =>
    "error" in other || other.id === id ? [] : [{ ...other, isLater: other.startedAt > startedAt }],
  );
}

/** Changes older operations: none of them, unless all that have to be changed can be. */
async function supersedeAll(entries: Entries, newer: Entry, others: readonly OtherOperation[]): Promise<void> {
  const acquired: Entry[] = [];
  try {
    for (const other of others) {
      if (findChange(other, newer) === "none") continue;
      const older = await entries.acquire(other.id).catch(ignore("JOURNAL_ENTRY_UNKNOWN"));
      if (older) acquired.push(older);
    }
    for (const older of acquired) await applyChange(older, findChange(older, newer));
  } finally {
    await Promise.all(acquired.map((older) => older.release()));
  }
}

/** Returns `false` if the operation is over. */
async function applyChange(entry: Entry, change: Change): Promise<boolean> {
  if (change === "over") await entry.complete();
  else if (change !== "none") await entry.update(change as object);
  return change !== "over";
}
