import { isKeeplightError } from "../../errors/base.ts";
import { changedEntry, unknownEntry } from "../../errors/journal.ts";
import type { JournalEntry, OpenRecord } from "../../journal/entries.ts";
import { getRecorder, type JournalLike, type Recorder } from "../../journal/handle.ts";
import { refuseOtherOwner } from "../../journal/refuse-other-owner.ts";
import {
  type CallKind,
  isCallKind,
  type OwnerCallState,
  supersede,
  supersedeFiles,
  UPLOAD_KIND,
  type UploadAccessState,
} from "./supersede.ts";

// Loaded only by calls with a journal.

/** The open entry that a call continues: one that this process owns already, or the id of one that an error has named. */
export type EarlierEntry = JournalEntry<OwnerCallState> | string;

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
): Promise<JournalEntry<OwnerCallState>> {
  const entries = getRecorder(journal);
  const isNew = earlier === undefined;
  const entry = await openEntry(entries, kind, call, earlier);
  try {
    refuseOtherOwner(entry.state.owner, call.owner);
    const others = await listOthers(entries, entry);
    if (typeof earlier === "string" && isChanged(entry, others)) throw changedEntry(earlier);
    // A new call follows all that are open.
    if (isNew) await entry.follow(others);
    await supersedeAll(entries, entry, isNew ? others : others.filter(({ isLater }) => !isLater));
    return entry;
  } catch (error) {
    await (isNew ? entry.complete() : entry.release());
    throw error;
  }
}

async function openEntry(entries: Recorder, kind: CallKind, call: OwnerCallState, earlier?: EarlierEntry) {
  if (earlier === undefined) return entries.start(kind, call);
  return typeof earlier === "string" ? ((await entries.acquire(earlier)) as JournalEntry<OwnerCallState>) : earlier;
}

/** Whether later calls have left less to do of a call, or will once they are resumed. */
function isChanged(entry: JournalEntry<OwnerCallState>, others: readonly OtherOperation[]): boolean {
  return (
    entry.state.isChanged === true || others.some((other) => isLaterCall(other) && findChange(entry, other) !== "none")
  );
}

/**
 * Leaves of an operation that is to be continued only what later calls have left to do: a process may have been killed
 * right after it started the entry of a later call.
 *
 * @throws `JOURNAL_ENTRY_UNKNOWN` if nothing is left
 */
export async function applyLaterCalls(journal: JournalLike, entry: JournalEntry): Promise<void> {
  for (const other of await listOthers(getRecorder(journal), entry)) {
    if (!isLaterCall(other)) continue;
    if (!(await applyChange(entry, findChange(entry, other)))) throw unknownEntry(entry.id);
  }
}

interface OtherOperation extends OpenRecord {
  /** Whether it was started after the entry. */
  isLater: boolean;
}

function isLaterCall({ isLater, kind }: OtherOperation): boolean {
  return isLater && isCallKind(kind);
}

async function listOthers(entries: Recorder, { id, startedAt }: JournalEntry): Promise<OtherOperation[]> {
  const all = await entries.list();
  return all.flatMap((other) =>
    "error" in other || other.id === id ? [] : [{ ...other, isLater: other.startedAt > startedAt }],
  );
}

/** Changes older operations: none of them, unless all that have to be changed can be. */
async function supersedeAll(entries: Recorder, newer: JournalEntry, others: readonly OtherOperation[]): Promise<void> {
  const acquired: JournalEntry[] = [];
  try {
    for (const other of others) {
      if (findChange(other, newer) === "none") continue;
      const older = await acquireIfOpen(entries, other.id);
      if (older) acquired.push(older);
    }
    for (const older of acquired) await applyChange(older, findChange(older, newer));
  } finally {
    await Promise.all(acquired.map((older) => older.release()));
  }
}

/** What a later call changes of an open operation: nothing, or its state, or that nothing is left to do. */
type Change = "none" | "over" | object;

type Operation = Pick<OpenRecord, "kind" | "state">;

function findChange({ kind, state }: Operation, { kind: laterKind, state: laterState }: Operation): Change {
  const later = { kind: laterKind, call: laterState as OwnerCallState };
  if (kind === UPLOAD_KIND) {
    const files = supersedeFiles(state as UploadAccessState, later);
    return files ? { files } : "none";
  }
  if (!isCallKind(kind)) return "none";
  const older = { kind, call: state as OwnerCallState };
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

async function acquireIfOpen(entries: Recorder, id: string): Promise<JournalEntry | undefined> {
  try {
    return await entries.acquire(id);
  } catch (error) {
    if (isKeeplightError(error, "JOURNAL_ENTRY_UNKNOWN")) return undefined;
    throw error;
  }
}
