import { mergeContacts } from "./contacts/merge-contacts.ts";
import { chooseLater, mergeMaps } from "./registers.ts";
import {
  type ContactsState,
  type DriveState,
  type EntryState,
  type FileVersion,
  type Register,
  type SharedState,
  TOP,
} from "./state.ts";

// All that is decided about a drive that changed in two places: how states merge, where an entry is if its folder is gone or
// inside of it, how two files of one name are called, and whether what was found is older than what was seen. Pure functions:
// every device decides the same, in whichever order it learns of the changes.

/**
 * Merges two states. Of each register the later value stays; versions of files are united. So it does not matter in which
 * order states are merged, or how often (commutative, associative, idempotent). Returns `one` itself if `other` has
 * nothing that is new to it.
 */
export function mergeStates(one: DriveState, other: DriveState): DriveState {
  const entries = mergeMaps(one.entries, other.entries, mergeInto);
  const shared = mergeMaps(one.shared ?? none, other.shared ?? none, mergeShared);
  const contacts = mergeContacts(one.contacts, other.contacts);
  const pointer = chooseLater(one.pointer, other.pointer);
  const isSameList = entries === one.entries && shared === (one.shared ?? none) && contacts === one.contacts;
  if (isSameList && pointer === one.pointer) return one;
  return { entries, ...(shared.size > 0 && { shared }), ...(contacts && { contacts }), ...(pointer && { pointer }) };
}

const none: ReadonlyMap<string, SharedState> = new Map();

/** Merges many states, none of which is changed. */
export function mergeAll(states: Iterable<DriveState>): DriveState {
  const entries = new Map<string, EntryState>();
  const shared = new Map<string, SharedState>();
  let contacts: ContactsState | undefined;
  let pointer: Register<string> | undefined;
  for (const state of states) {
    for (const [id, entry] of state.entries) entries.set(id, mergeInto(entries.get(id), entry));
    for (const [cid, item] of state.shared ?? none) shared.set(cid, mergeShared(shared.get(cid), item));
    contacts = mergeContacts(contacts, state.contacts);
    pointer = chooseLater(pointer, state.pointer);
  }
  return { entries, ...(shared.size > 0 && { shared }), ...(contacts && { contacts }), ...(pointer && { pointer }) };
}

/** Returns `one` itself if `other` has nothing that is new to it. */
function mergeShared(one: SharedState | undefined, other: SharedState): SharedState {
  if (!one) return other;
  const removed = chooseLater(one.removed, other.removed);
  const file = chooseLater(one.file, other.file) ?? one.file;
  if (file === one.file && removed === one.removed) return one;
  return { file, ...(removed && { removed }) };
}

/** Returns `known` itself if `entry` has nothing that is new to it, and `entry` itself if nothing was known. */
function mergeInto(known: EntryState | undefined, entry: EntryState): EntryState {
  // Only what was merged has versions that are erased.
  return known || (entry.files && entry.erased) ? mergeEntries(known ?? {}, entry) : entry;
}

/** Returns `one` itself if `other` has nothing that is new to it. */
function mergeEntries(one: EntryState, other: EntryState): EntryState {
  const erased = unite(one.erased, other.erased);
  const merged: EntryState = {
    folder: one.folder ?? other.folder,
    parent: chooseLater(one.parent, other.parent),
    name: chooseLater(one.name, other.name),
    trashed: chooseLater(one.trashed, other.trashed),
    files: mergeFiles(one.files, other.files, erased),
    erased,
  };
  const isSame = (Object.keys(merged) as (keyof EntryState)[]).every((field) => merged[field] === one[field]);
  return isSame ? one : merged;
}

function mergeFiles(one: EntryState["files"], other: EntryState["files"], erased: readonly string[] = []) {
  const merged: Record<string, FileVersion> = {};
  let isNew = false;
  for (const [cid, file] of Object.entries(one ?? {})) {
    if (erased.includes(cid)) isNew = true;
    else merged[cid] = file;
  }
  for (const [cid, file] of Object.entries(other ?? {})) {
    const known = merged[cid];
    if (erased.includes(cid) || file === known || (known && !isLater(file, known))) continue;
    merged[cid] = file;
    isNew = true;
  }
  if (!isNew) return one;
  return Object.keys(merged).length === 0 ? undefined : merged;
}

function isLater(one: FileVersion, other: FileVersion): boolean {
  return one.added === other.added ? toText(one) > toText(other) : one.added > other.added;
}

const toText = ({ size, commitment, chunkProfile, modified, type }: FileVersion) =>
  JSON.stringify([size, commitment, chunkProfile, modified, type]);

function unite(one: readonly string[] | undefined, other: readonly string[] | undefined) {
  if (!one || !other) return one ?? other;
  if (other.every((cid) => one.includes(cid))) return one;
  return [...new Set([...one, ...other])].sort();
}

/** Whether an entry is deleted for good. A version that another device added meanwhile brings a file back. */
export function isGone({ folder, files = {}, erased }: EntryState): boolean {
  if (folder) return erased !== undefined;
  for (const cid in files) if (!erased?.includes(cid)) return false;
  return true;
}

/** Where an entry is shown, and whether that is not where it was put. */
export interface Place {
  parent: string;
  /** `gone`: its folder is deleted. `cycle`: it and its folder were moved into each other. */
  conflict?: "gone" | "cycle";
}

/** Decides in which folder each entry is that is not deleted. What has no folder, or would be in itself, is at the top. */
export function resolvePlaces({ entries }: DriveState): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const [id, entry] of entries) {
    if (isGone(entry)) continue;
    const parent = entry.parent?.[0] ?? TOP;
    const folder = entries.get(parent);
    const isThere = parent === TOP || (folder?.folder && !isGone(folder));
    places.set(id, isThere ? { parent } : { parent: TOP, conflict: "gone" });
  }
  const checked = new Set([TOP]);
  for (const start of places.keys()) {
    const path: string[] = [];
    let id = start;
    while (!checked.has(id)) {
      checked.add(id);
      path.push(id);
      id = places.get(id)?.parent ?? TOP;
    }
    const cycle = path.slice(path.indexOf(id));
    if (!path.includes(id)) continue;
    // The last move of the cycle closed it.
    const stampOf = (each: string) => `${entries.get(each)?.parent?.[1]} ${each}`;
    const last = cycle.reduce((latest, each) => (stampOf(each) > stampOf(latest) ? each : latest));
    places.set(last, { parent: TOP, conflict: "cycle" });
  }
  return places;
}

/**
 * Decides how the entries of one folder are shown: two of one name were added or renamed on two devices. The one that had it
 * first keeps it; the others get a number before the extension.
 */
export function resolveNames(
  siblings: readonly (readonly [id: string, name: Register<string>])[],
): Map<string, string> {
  const names = new Map<string, string>(siblings.map(([id, [name]]) => [id, name]));
  const own = new Set(names.values());
  if (own.size === siblings.length) return names;
  const taken = new Set<string>();
  const byAge = [...siblings].sort(([id, [, stamp]], [otherId, [, other]]) =>
    `${stamp} ${id}` < `${other} ${otherId}` ? -1 : 1,
  );
  for (const [id, [name]] of byAge) {
    let shown = name;
    for (let number = 2; taken.has(shown) || (shown !== name && own.has(shown)); number++)
      shown = addNumber(name, number);
    taken.add(shown);
    names.set(id, shown);
  }
  return names;
}

/** Returns `photo (2).jpg` for `photo.jpg`. */
function addNumber(name: string, number: number): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? `${name.slice(0, dot)} (${number})${name.slice(dot)}` : `${name} (${number})`;
}

/** Of how many versions before it a version names the content ids. */
export const MAX_HISTORY = 100;

/** How many versions are kept: those of the last numbers. */
export const KEPT_VERSIONS = 50;

/** A stored version. */
export interface VersionId {
  cid: string;
  /** One more than that of the versions that it follows from. */
  number: number;
}

/** A stored version, and what it follows from. */
export interface VersionLink extends VersionId {
  /** The versions that are merged in it, those of the highest numbers first, at most {@link MAX_HISTORY}. */
  history: readonly VersionId[];
}

/** Whether a version follows from another one, or is it: then nothing of the other one is missing. */
export function follows({ cid, history }: VersionLink, earlier: VersionId): boolean {
  if (cid === earlier.cid || history.some((each) => each.cid === earlier.cid)) return true;
  // It cannot name all of a long history.
  return history.length === MAX_HISTORY && earlier.number < (history.at(-1)?.number ?? 0);
}

/**
 * Whether what was found is older than a version that was seen before: some service withholds the newest one, or has lost
 * it. Versions that two devices made at once do not follow from each other, and are no reason for a report.
 *
 * @param isComplete - whether all versions that are left were looked for, so that one which is not there is missing
 */
export function isRollback(seen: VersionLink, found: readonly VersionLink[], isComplete: boolean): boolean {
  if (found.some((version) => follows(version, seen))) return false;
  return isComplete || found.some((version) => follows(seen, version));
}

/** Returns the history of a version that follows from these. */
export function joinHistory(merged: readonly VersionLink[]): VersionId[] {
  const all = merged.flatMap(({ cid, number, history }) => [{ cid, number }, ...history]);
  const byCid = new Map(all.map((version) => [version.cid, version]));
  const newestFirst = [...byCid.values()].sort(
    (one, other) => other.number - one.number || (one.cid < other.cid ? -1 : 1),
  );
  return newestFirst.slice(0, MAX_HISTORY);
}
