import { ignore, KeeplightError } from "../../base/errors/base.ts";
import { unknownEntry } from "../../base/errors/journal.ts";
import { checkAddresses } from "../../base/validation/address.ts";
import type { Entries, Entry, EntryData } from "../../journal/entries.ts";
import { getEntries, type JournalLike } from "../../journal/handle.ts";
import { refuseOtherOwner, UPLOAD_KIND } from "../../journal/operations.ts";

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

/**
 * Returns the addresses that no open revoke of a journal names. New shards must not be shared to the others: a resumed revoke
 * calls only the nodes that have not revoked yet. Releases the entry of the call that saves them if that fails.
 */
export async function omitRevoked(
  journal: JournalLike,
  entry: Entry<OwnerCallState>,
  sharedTo: readonly string[],
): Promise<string[]> {
  try {
    const revokes = (await listOthers(getEntries(journal), entry)).filter(({ kind }) => kind === "revoke");
    return sharedTo.filter((address) => {
      // The nodes may spell it in mixed case.
      const shareTo = [address.startsWith("0x") ? address.toLowerCase() : address];
      const state = { ...entry.state, parameters: { ...entry.state.parameters, shareTo } };
      return revokes.every((revoke) => supersede({ kind: "share", state }, revoke) !== undefined);
    });
  } catch (error) {
    await entry.release();
    throw error;
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

const callKinds = ["save", "share", "revoke", "conditions", "transfer", "repair", "delegate"] as const;

/** The kinds of owner calls in a journal. */
export type CallKind = (typeof callKinds)[number];

/** What a journal keeps of an owner call. */
export interface OwnerCallState {
  /** Address. */
  owner: string;
  /** `undefined` for all files of the owner. */
  cid?: string | undefined;
  /** The options that say what to do, and `endpoints`; never one that authenticates. */
  parameters: object;
  /** The nodes that have done it. */
  nodesDone: readonly number[];
  /** Whether a later call has left less to do, so that the error of this one can no longer be resumed. */
  isChanged?: boolean;
}

/** An operation that a journal keeps. */
export type StoredOperation = Pick<EntryData, "kind" | "state">;

/** What a later call changes of an open operation: nothing, or its state, or that nothing is left to do. */
export type Change = "none" | "over" | object;

export function isCallKind(kind: string): kind is CallKind {
  return (callKinds as readonly string[]).includes(kind);
}

/** What a journal keeps of one file of an upload, as far as it concerns who may open it. */
export interface FileAccessState {
  /** The content ids of each attempt to send it. */
  attempts: readonly { cids: readonly string[] }[];
  /** Where it is stored, once that is known. */
  stored?: { Hash: string } | undefined;
  /** Whom its key is shared to, if later calls have left fewer addresses than the options of the upload have. */
  shareTo?: readonly string[] | undefined;
}

/** What a journal keeps of an upload, as far as it concerns who may open its files. */
export interface UploadAccessState {
  /** Address. */
  owner: string;
  options: { shareTo?: unknown; endpoints?: unknown };
  files: readonly FileAccessState[];
}

type StoredCall = OwnerCallState & { parameters: Parameters };

/** Parameters of the calls that are compared. */
interface Parameters {
  endpoints?: { keyNodes?: string };
  shareTo?: string | readonly string[];
  revokeTo?: string | readonly string[];
  keyShards?: readonly unknown[];
  resetSharedTo?: boolean;
}

/**
 * Decides what is left to do of an interrupted operation once a later call has started. Completing it as it was would
 * undo the later one: readmit someone who was revoked, for one.
 */
export function findChange(operation: StoredOperation, later: StoredOperation): Change {
  if (operation.kind === UPLOAD_KIND) {
    const files = supersedeFiles(operation.state as UploadAccessState, later);
    return files ? { files } : "none";
  }
  if (!isCallKind(operation.kind)) return "none";
  const { parameters } = operation.state as OwnerCallState;
  const left = supersede(operation, later);
  if (left === undefined) return "over";
  return left === parameters ? "none" : { parameters: left, isChanged: true };
}

/** Returns what is left to do of a call once another one has started: the same parameters, fewer, or `undefined` for nothing. */
type Rule = (before: Parameters, after: Parameters) => object | undefined;

const nothing: Rule = () => undefined;
/** The transfer revokes all addresses. */
const unlessReset: Rule = (before, { resetSharedTo }) => (resetSharedTo ? undefined : before);
/** It has to query again whom the file is shared to. */
const changed: Rule = (before) => ({ ...before });

/** By the kinds of both calls, the interrupted one first; other calls leave it as it is. */
const rules: Partial<Record<string, Partial<Record<string, Rule>>>> = {
  save: {
    // Its shards have to be saved all the same.
    revoke: (before, { revokeTo }) => without(before, "shareTo", revokeTo) ?? { ...before, shareTo: undefined },
  },
  share: { revoke: (before, { revokeTo }) => without(before, "shareTo", revokeTo), transfer: unlessReset },
  revoke: { share: (before, { shareTo }) => without(before, "revokeTo", shareTo), transfer: unlessReset },
  conditions: {
    conditions({ keyShards }, after) {
      return keyShards?.length && !after.keyShards?.length ? { ...after, keyShards } : undefined;
    },
  },
  transfer: { transfer: nothing },
  delegate: { delegate: nothing },
  repair: { share: changed, revoke: changed, transfer: changed },
};

/** Returns the parameters that are left of a call, which may be the same object, or `undefined` if nothing is left. */
export function supersede(older: StoredOperation, newer: StoredOperation): object | undefined {
  const { cid, owner, parameters: before } = older.state as StoredCall;
  const { parameters: after, ...call } = newer.state as StoredCall;
  const rule = rules[older.kind]?.[newer.kind];
  if (!rule || cid !== call.cid || owner !== call.owner) return before;
  const isSameHost = toHref(before.endpoints?.keyNodes) === toHref(after.endpoints?.keyNodes);
  return isSameHost ? rule(before, after) : before;
}

/** The same for all forms of a URL. */
function toHref(url: string | undefined): string | undefined {
  return url && new URL(url).href.replace(/\/+$/, "");
}

/** Removes addresses from those of an option; returns `undefined` if none are left. */
function without(
  parameters: Parameters,
  option: "shareTo" | "revokeTo",
  removed: string | readonly string[] = [],
): Parameters | undefined {
  const addresses = [parameters[option] ?? []].flat();
  const left = addresses.filter((address) => !removed.includes(address));
  if (left.length === addresses.length) return parameters;
  return left.length > 0 ? { ...parameters, [option]: left } : undefined;
}

/**
 * Decides whom the files of an interrupted upload are still to be shared to once a later call on one of them has started:
 * saving its key would otherwise readmit someone who was revoked. Returns `undefined` if nothing changes.
 */
export function supersedeFiles<File extends FileAccessState>(
  { owner, options, files }: Omit<UploadAccessState, "files"> & { files: readonly File[] },
  later: StoredOperation,
): File[] | undefined {
  const { cid } = later.state as OwnerCallState;
  if (cid === undefined) return undefined;
  const left = files.map((file) => {
    const shareTo = file.shareTo ?? (options.shareTo === undefined ? [] : checkAddresses(options.shareTo));
    const isNamed = file.stored?.Hash === cid || file.attempts.some(({ cids }) => cids.includes(cid));
    if (!isNamed) return file;
    const parameters = { shareTo, endpoints: options.endpoints };
    const state: OwnerCallState = { owner, cid, parameters, nodesDone: [] };
    const changed: Pick<FileAccessState, "shareTo"> = supersede({ kind: "save", state }, later) ?? {};
    return changed === parameters ? file : { ...file, shareTo: changed.shareTo ?? [] };
  });
  return left.some((file, at) => file !== files[at]) ? left : undefined;
}
