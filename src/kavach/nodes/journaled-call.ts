import { isKeeplightError } from "../../errors/base.ts";
import { changedEntry, unknownEntry } from "../../errors/journal.ts";
import type { JournalEntry, OpenRecord } from "../../journal/entries.ts";
import { getRecorder, type JournalLike, type Recorder } from "../../journal/handle.ts";
import { refuseOtherOwner } from "../../journal/refuse-other-owner.ts";
import { type CallKind, isCallKind, type JournaledCall, type KeptCall } from "./kept-call.ts";
import { type KeptUpload, supersedeFiles, UPLOAD_KIND } from "./kept-upload.ts";
import { supersede } from "./supersede.ts";

/**
 * Records an owner call, before its first request that changes anything; or takes ownership of its entry again. Earlier
 * calls and uploads that are open and would undo it are changed first.
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
    const others = await listOthers(recorder, entry);
    if (id !== undefined && isChanged(entry, others)) throw changedEntry(id);
    // A new call follows all that are open.
    if (isNew) await entry.follow(others.map(({ record }) => record));
    await supersedeAll(recorder, entry, isNew ? others : others.filter(({ isLater }) => !isLater));
    return entry;
  } catch (error) {
    await (isNew ? entry.complete() : entry.release());
    throw error;
  }
}

/** Whether later calls have left less to do of a call, or will once they are resumed. */
function isChanged(entry: JournalEntry<JournaledCall>, others: readonly OtherOperation[]): boolean {
  const later = others.filter(({ record, isLater }) => isLater && isCallKind(record.kind));
  return entry.state.isChanged === true || later.some(({ record }) => findChange(entry, toKeptCall(record)) !== "none");
}

/**
 * Leaves of an operation that is to be continued only what later calls have left to do: a process may have been killed
 * right after it recorded a later call.
 *
 * @throws `JOURNAL_ENTRY_UNKNOWN` if nothing is left
 */
export async function applyLaterCalls(journal: JournalLike, entry: JournalEntry): Promise<void> {
  for (const { record, isLater } of await listOthers(getRecorder(journal), entry)) {
    if (!isLater || !isCallKind(record.kind)) continue;
    if (!(await applyChange(entry, findChange(entry, toKeptCall(record))))) throw unknownEntry(entry.id);
  }
}

interface OtherOperation {
  record: OpenRecord;
  /** Whether it was started after the entry. */
  isLater: boolean;
}

async function listOthers(recorder: Recorder, { id, startedAt }: JournalEntry): Promise<OtherOperation[]> {
  const others = (await recorder.list()).filter((record) => !("error" in record) && record.id !== id) as OpenRecord[];
  return others.map((record) => ({ record, isLater: record.startedAt > startedAt }));
}

/** Changes older operations: none of them, unless all that have to be changed can be. */
async function supersedeAll(recorder: Recorder, newer: JournalEntry, others: readonly OtherOperation[]) {
  const later = toKeptCall(newer);
  const acquired: JournalEntry[] = [];
  try {
    for (const { record } of others) {
      if (findChange(record, later) === "none") continue;
      const older = await acquireIfOpen(recorder, record.id);
      if (older) acquired.push(older);
    }
    for (const older of acquired) await applyChange(older, findChange(older, later));
  } finally {
    await Promise.all(acquired.map((older) => older.release()));
  }
}

type Operation = Pick<OpenRecord, "kind" | "state">;

function toKeptCall({ kind, state }: Operation): KeptCall {
  return { kind: kind as CallKind, call: state as JournaledCall };
}

/** What a later call changes of an open operation: nothing, or its state, or that nothing is left to do. */
type Change = "none" | "over" | object;

function findChange(operation: Operation, later: KeptCall): Change {
  if (operation.kind === UPLOAD_KIND) {
    const files = supersedeFiles(operation.state as KeptUpload, later);
    return files ? { files } : "none";
  }
  if (!isCallKind(operation.kind)) return "none";
  const older = toKeptCall(operation);
  const parameters = supersede(older, later);
  if (parameters === undefined) return "over";
  return parameters === older.call.parameters ? "none" : { parameters, isChanged: true };
}

/** Returns `false` if the operation is over. */
async function applyChange(entry: JournalEntry, change: Change): Promise<boolean> {
  if (change === "over") await entry.complete();
  else if (change !== "none") await entry.update(change as object);
  return change !== "over";
}

async function acquireIfOpen(recorder: Recorder, id: string): Promise<JournalEntry | undefined> {
  try {
    return await recorder.acquire(id);
  } catch (error) {
    if (isKeeplightError(error, "JOURNAL_ENTRY_UNKNOWN")) return undefined;
    throw error;
  }
}
