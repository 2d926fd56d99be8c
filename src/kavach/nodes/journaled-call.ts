import { isKeeplightError } from "../../errors/base.ts";
import { changedEntry, unknownEntry } from "../../errors/journal.ts";
import type { JournalEntry, OpenRecord } from "../../journal/entries.ts";
import { getRecorder, type JournalLike, type Recorder } from "../../journal/handle.ts";
import { refuseOtherOwner } from "../../journal/refuse-other-owner.ts";
import { type CallKind, isCallKind, type JournaledCall } from "./kept-call.ts";
import { supersede } from "./supersede.ts";

/**
 * Records an owner call, before its first request that changes anything; or takes ownership of its entry again. Earlier
 * calls that are open and would undo it are changed first.
 *
 * @param id - of the entry that an unfinished call has left open
 * @throws `INVALID_OPTION` for another owner; `CANNOT_WRITE`, `JOURNAL_ENTRY_UNKNOWN`, `JOURNAL_ENTRY_BUSY`
 */
export async function openCallEntry(
  journal: JournalLike,
  id: string | undefined,
  kind: CallKind,
  call: JournaledCall,
): Promise<JournalEntry<JournaledCall>> {
  const recorder = getRecorder(journal);
  const isNew = id === undefined && !recorder.continues;
  const entry = await (id === undefined
    ? recorder.start<JournaledCall>(kind, call)
    : (recorder.acquire(id) as Promise<JournalEntry<JournaledCall>>));
  try {
    refuseOtherOwner(entry.state.owner, call.owner);
    if (id !== undefined && entry.state.isChanged) throw changedEntry(id);
    const others = await listCalls(recorder, entry);
    // A new call follows all that are open, whatever the clock says.
    await supersedeAll(recorder, entry, isNew ? others : others.filter(({ isLater }) => !isLater));
    return entry;
  } catch (error) {
    await (isNew ? entry.complete() : entry.release());
    throw error;
  }
}

/**
 * Leaves of a call that is to be continued only what later calls have left to do: a process may have been killed right
 * after it recorded a later call.
 *
 * @throws `JOURNAL_ENTRY_UNKNOWN` if nothing is left
 */
export async function applyLaterCalls(journal: JournalLike, entry: JournalEntry<JournaledCall>): Promise<void> {
  for (const { record, isLater } of await listCalls(getRecorder(journal), entry)) {
    if (!isLater) continue;
    const later = { kind: record.kind as CallKind, call: record.state as JournaledCall };
    if (!(await change(entry, supersede({ kind: entry.kind as CallKind, call: entry.state }, later)))) {
      throw unknownEntry(entry.id);
    }
  }
}

interface OtherCall {
  record: OpenRecord;
  /** Whether it was started after the entry. */
  isLater: boolean;
}

/** Lists the other open calls on the same file. */
async function listCalls(recorder: Recorder, { id, state, startedAt }: JournalEntry<JournaledCall>) {
  const others: OtherCall[] = [];
  for (const record of await recorder.list()) {
    if ("error" in record || record.id === id || !isCallKind(record.kind)) continue;
    if ((record.state as JournaledCall).cid === state.cid)
      others.push({ record, isLater: record.startedAt > startedAt });
  }
  return others;
}

async function supersedeAll(recorder: Recorder, newer: JournalEntry<JournaledCall>, others: readonly OtherCall[]) {
  const later = { kind: newer.kind as CallKind, call: newer.state };
  const supersedeOne = (kind: string, call: JournaledCall) => supersede({ kind: kind as CallKind, call }, later);
  for (const { record } of others) {
    const call = record.state as JournaledCall;
    if (supersedeOne(record.kind, call) === call.parameters) continue;
    const older = await acquireIfOpen(recorder, record.id);
    if (!older) continue;
    try {
      await change(older, supersedeOne(older.kind, older.state));
    } finally {
      await older.release();
    }
  }
}

/** Leaves only these parameters to do; returns `false` if nothing is left, so that the operation is over. */
async function change(entry: JournalEntry<JournaledCall>, parameters: object | undefined): Promise<boolean> {
  if (parameters === undefined) await entry.complete();
  else if (parameters !== entry.state.parameters) await entry.update({ parameters, isChanged: true });
  return parameters !== undefined;
}

async function acquireIfOpen(recorder: Recorder, id: string) {
  try {
    return (await recorder.acquire(id)) as JournalEntry<JournaledCall>;
  } catch (error) {
    if (isKeeplightError(error, "JOURNAL_ENTRY_UNKNOWN")) return undefined;
    throw error;
  }
}
