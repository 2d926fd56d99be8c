import { duplicateName, findNameProblem, invalidOption } from "keeplight/parts";
import { type DriveState, type EntryState, type FileVersion, type Stamp, TOP } from "./state.ts";
import type { DriveEntry, Tree } from "./tree.ts";

// What each call changes: a few registers, which are merged into the state like the change of another device.

/** An entry of a drive: as it was listed, or by its path. */
export type EntryLike = DriveEntry | string;

/** Returns an entry as it is now. Throws `INVALID_OPTION` if there is none. */
export function requireEntry(tree: Tree, entry: EntryLike): DriveEntry {
  const found = typeof entry === "string" ? tree.find(toPath(entry)) : tree.get(entry?.id);
  if (!found) throw invalidOption("entry", "a file or folder of the drive: its path, or what list returned");
  return found;
}

/** Returns the id of a folder that is not in the trash; empty for the top. Throws `INVALID_OPTION`. */
export function requireFolder(tree: Tree, folder: EntryLike): string {
  if (typeof folder === "string" && toPath(folder) === "") return TOP;
  const found = requireEntry(tree, folder);
  if (found.type !== "folder" || found.trashed) throw invalidOption("folder", "a folder that is not in the trash");
  return found.id;
}

/** Removes slashes at the ends, and composes characters (NFC), as names are stored. */
export function toPath(path: string): string {
  return path.replace(/^\/+|\/+$/g, "").normalize("NFC");
}

/** A change: what is merged into the state. */
export type Change = DriveState;

const change = (...entries: readonly (readonly [string, EntryState])[]): Change => ({ entries: new Map(entries) });

/** Throws `DUPLICATE_NAME` if another entry of a folder has a name. */
export function refuseTaken(tree: Tree, parent: string, name: string, own?: string): void {
  const taken = tree.children(parent).find((entry) => entry.name === name && !entry.trashed && entry.id !== own);
  if (taken) throw duplicateName(taken.path, taken.path);
}

export function createFolder(tree: Tree, parent: string, name: string, id: string, stamp: Stamp): Change {
  refuseTaken(tree, parent, name);
  return change([id, { folder: true, parent: [parent, stamp], name: [name, stamp] }]);
}

/** Longest name, in characters: no common file system has longer ones. */
const MAX_NAME = 255;

/** How much of a name an error shows, in characters. */
const MAX_SHOWN = 80;

/** Returns a name as a drive stores it: composed (NFC). Throws `INVALID_OPTION` for one that no drive has. */
export function checkName(name: string): string {
  const composed = String(name).normalize("NFC");
  const problem = composed.length > MAX_NAME ? `it is longer than ${MAX_NAME} characters` : findNameProblem(composed);
  if (problem !== undefined) {
    const shown = JSON.stringify(composed.slice(0, MAX_SHOWN));
    throw invalidOption("name", `a name that a folder can have, unlike ${shown}: ${problem}`);
  }
  return composed;
}

/** @throws `INVALID_OPTION` for a folder that would be in itself, `DUPLICATE_NAME` for the first whose name is taken */
export function move(
  tree: Tree,
  state: DriveState,
  entries: readonly DriveEntry[],
  parent: string,
  stamp: Stamp,
): Change {
  const around = new Set<string>();
  for (let id = parent; id !== TOP; id = tree.get(id)?.parent ?? TOP) around.add(id);
  const shown = tree.children(parent).filter(({ trashed }) => !trashed);
  const taken = new Map(shown.map((entry) => [entry.name, entry]));
  return change(
    ...entries.map((entry) => {
      const { id, name, path } = entry;
      if (around.has(id)) throw invalidOption("folder", `another folder than ${path}, which is moved, and none in it`);
      const known = taken.get(name) ?? entry;
      if (known.id !== id) throw duplicateName(path, known.path);
      taken.set(name, entry);
      // What is shown under another name than it has keeps it, where it may be the only one.
      const isRenamed = state.entries.get(id)?.name?.[0] !== name;
      const renamed: EntryState = isRenamed ? { name: [name, stamp] } : {};
      return [id, { parent: [parent, stamp], ...renamed }] as const;
    }),
  );
}

/** @throws `DUPLICATE_NAME` */
export function rename(tree: Tree, entry: DriveEntry, name: string, stamp: Stamp): Change {
  refuseTaken(tree, entry.parent, name, entry.id);
  return change([entry.id, { name: [name, stamp] }]);
}

export function trash(entry: DriveEntry, stamp: Stamp): Change {
  return change([entry.id, { trashed: [true, stamp] }]);
}

/**
 * Takes entries out of the trash: to where they were, or to the top if the folder stays in the trash. What has their names
 * meanwhile keeps them.
 */
export function restore(tree: Tree, state: DriveState, entries: readonly DriveEntry[], stamp: Stamp): Change {
  const restored = new Set(entries.map(({ id }) => id));
  const isGone = (parent: string): boolean => {
    for (let id = parent; id !== TOP && !restored.has(id); id = tree.get(id)?.parent ?? TOP)
      if (state.entries.get(id)?.trashed?.[0]) return true;
    return false;
  };
  return change(
    ...entries.map(({ id, name, parent }) => {
      const moved: EntryState = isGone(parent) ? { parent: [TOP, stamp] } : {};
      const own = state.entries.get(id)?.name?.[0] ?? name;
      return [id, { trashed: [false, stamp], name: [own, stamp], ...moved }] as const;
    }),
  );
}

/** Makes an older version of a file the current one again. Throws `INVALID_OPTION` for one that it does not have. */
export function restoreVersion(state: DriveState, { id }: DriveEntry, cid: string, stamp: Stamp): Change {
  const { files = {} } = state.entries.get(id) ?? {};
  const version = Object.hasOwn(files, cid) ? files[cid] : undefined;
  if (!version) throw invalidOption("version", "the content id of a version of the file");
  return change([id, { files: { [cid]: { ...version, added: stamp } } }]);
}

/** A stored file, and where it is to be. */
export interface PlacedFile {
  /** Id of the entry: a new one, or that of a file that gets a new version. */
  id: string;
  cid: string;
  /** Of a new entry. */
  place?: { parent: string; name: string } | undefined;
  file: Omit<FileVersion, "added">;
  /** When its upload started. Default now. */
  stamp?: Stamp | undefined;
}

/** @param state - if the file was moved to the trash meanwhile, its new version takes it out */
export function addFile(state: DriveState, { id, cid, place, file, stamp }: PlacedFile, now: Stamp): Change {
  const isTrashed = state.entries.get(id)?.trashed?.[0] ?? false;
  const added = stamp ?? now;
  const placed: EntryState = place ? { parent: [place.parent, added], name: [place.name, added] } : {};
  const shown: EntryState = isTrashed ? { trashed: [false, now] } : {};
  return change([id, { ...placed, ...shown, files: { [cid]: { ...file, added } } }]);
}

/** Deletes an entry, and all that is in it, for good, as far as it is `seen`: entries, and versions of files. */
export function erase(tree: Tree, { entries: seen }: DriveState, entry: DriveEntry): Change {
  return change(
    ...listBelow(tree, entry).flatMap(({ id }) => {
      const { files = {}, folder } = seen.get(id) ?? {};
      return seen.has(id) ? [[id, { ...(folder && { folder }), erased: Object.keys(files).sort() }] as const] : [];
    }),
  );
}

/** Lists an entry and all that is in it, trash included. */
export function listBelow(tree: Tree, entry: DriveEntry): DriveEntry[] {
  const found = [entry];
  for (const each of found) if (each.type === "folder") found.push(...tree.children(each.id));
  return found;
}
