import { findNameProblem } from "keeplight/parts";
import { resolveNames, resolvePlaces } from "./merge.ts";
import { type DriveState, type EntryState, type FileVersion, getTime, type Register, TOP } from "./state.ts";

/** One version of a file. */
export interface DriveVersion extends Omit<FileVersion, "added"> {
  /** Content id of the encrypted file, for `decrypt` and `openEncrypted`. */
  cid: string;
  /** When it became the current version, in milliseconds since 1970. */
  addedAt: number;
}

interface EntryFacts {
  /** Identifies it wherever it is moved to. */
  id: string;
  /** Without the folders. Of two entries that got one name on two devices, one is shown with a number. */
  name: string;
  /** Names of its folders and its own, separated by `/`. */
  path: string;
  /** Id of the folder that it is in; empty at the top. */
  parent: string;
  /** Whether it, or a folder that it is in, is in the trash. */
  trashed: boolean;
  /**
   * Set if two devices made changes that exclude each other: it had the `name` of another one, its folder is `gone`, or it was
   * moved into itself (`cycle`). It is shown all the same.
   */
  conflict?: "name" | "gone" | "cycle" | undefined;
}

/** A folder. */
export interface DriveFolder extends EntryFacts {
  type: "folder";
}

/** A file: its current version. */
export interface DriveFile extends EntryFacts, Omit<DriveVersion, "type"> {
  type: "file";
  /** Media type, if it is known. */
  mimeType?: string | undefined;
}

/** A file or folder, as it was when it was listed. */
export type DriveEntry = DriveFile | DriveFolder;

/** The tree that a state describes. */
export interface Tree {
  get(id: string): DriveEntry | undefined;
  /** Returns the entry at a path, which is not in the trash. */
  find(path: string): DriveEntry | undefined;
  /** Lists what is in a folder by its id, trash included. */
  children(parent: string): readonly DriveEntry[];
  all(): Iterable<DriveEntry>;
}

/** What is in one folder. */
interface Listing {
  entries: readonly DriveEntry[];
  byName: ReadonlyMap<string, DriveEntry>;
}

/** Builds the tree of a state: every entry that is not deleted is in it, once. Folders are listed when they are asked for. */
export function buildTree(state: DriveState): Tree {
  const places = resolvePlaces(state);
  const children = new Map<string, string[]>();
  for (const [id, { parent }] of places) {
    const siblings = children.get(parent);
    if (siblings) siblings.push(id);
    else children.set(parent, [id]);
  }
  const listings = new Map<string, Listing>();
  const byId = new Map<string, DriveEntry>();

  /** Lists a folder, and before it those that it is in. */
  function open(folder: string): Listing {
    const path = [folder];
    for (const id of path) if (id !== TOP && !listings.has(id)) path.push(places.get(id)?.parent ?? TOP);
    let listing: Listing | undefined;
    for (const id of path.reverse()) {
      listing = listings.get(id) ?? listFolder(id);
      listings.set(id, listing);
    }
    return listing as Listing;
  }

  function listFolder(parent: string): Listing {
    const { path, trashed: isInTrash } = byId.get(parent) ?? { path: "", trashed: false };
    // What is in the trash does not take names from what is not.
    const groups: [string, Register<string>][][] = [[], []];
    for (const id of children.get(parent) ?? [])
      groups[state.entries.get(id)?.trashed?.[0] ? 1 : 0]?.push([id, getName(id, state)]);
    const entries: DriveEntry[] = [];
    const byName = new Map<string, DriveEntry>();
    for (const [at, group] of groups.entries()) {
      const trashed = isInTrash || at === 1;
      const names = resolveNames(group);
      for (const [id, [own]] of group) {
        const name = names.get(id) ?? own;
        // In the trash, two entries of one name are no conflict.
        const conflict = places.get(id)?.conflict ?? (!trashed && name !== own ? "name" : undefined);
        const facts = { id, name, path: path === "" ? name : `${path}/${name}`, parent, trashed };
        const shown = describe({ ...facts, ...(conflict && { conflict }) }, state.entries.get(id) ?? {});
        byId.set(id, shown);
        if (!trashed) byName.set(name, shown);
        entries.push(shown);
      }
    }
    return { entries, byName };
  }

  function get(id: string): DriveEntry | undefined {
    const place = places.get(id);
    if (!place) return undefined;
    open(place.parent);
    return byId.get(id);
  }

  return {
    get,
    find(path) {
      let found: DriveEntry | undefined;
      for (const name of path.split("/")) {
        if (found && found.type !== "folder") return undefined;
        found = open(found?.id ?? TOP).byName.get(name);
        if (!found) return undefined;
      }
      return found;
    },
    children: (parent) => (parent === TOP || places.has(parent) ? open(parent).entries : []),
    *all() {
      const folders = [TOP];
      for (const folder of folders) {
        for (const entry of open(folder).entries) {
          if (entry.type === "folder") folders.push(entry.id);
          yield entry;
        }
      }
    },
  };
}

/** A name that would not lead to the entry is replaced by its id, as is that of an entry of which only a change is known. */
function getName(id: string, { entries }: DriveState): Register<string> {
  const { name } = entries.get(id) ?? {};
  return name && isUsable(name) ? name : [id, name?.[1] ?? ""];
}

const usable = new WeakMap<Register<string>, boolean>();

function isUsable(name: Register<string>): boolean {
  const known = usable.get(name) ?? findNameProblem(name[0]) === undefined;
  usable.set(name, known);
  return known;
}

/** What was shown of entries: what did not change is not described again, and stays the same object. */
const described = new WeakMap<EntryState, DriveEntry>();

function describe(facts: EntryFacts, entry: EntryState): DriveEntry {
  const known = described.get(entry);
  const fields = ["id", "name", "path", "parent", "trashed", "conflict"] as const;
  if (known && fields.every((field) => known[field] === facts[field])) return known;
  const shown = Object.freeze(describeNew(facts, entry));
  described.set(entry, shown);
  return shown;
}

function describeNew(facts: EntryFacts, entry: EntryState): DriveEntry {
  if (entry.folder) return { type: "folder", ...facts };
  const [current] = listVersions(entry);
  if (!current) throw new Error("A file has a version, or is deleted");
  const { type: mimeType, ...version } = current;
  return { type: "file", ...version, ...(mimeType && { mimeType }), ...facts };
}

/** Lists the versions of a file, the current one first. */
export function listVersions({ files = {}, erased = [] }: EntryState): DriveVersion[] {
  return Object.entries(files)
    .filter(([cid]) => !erased.includes(cid))
    .sort(([cid, one], [otherCid, other]) => (one.added + cid < other.added + otherCid ? 1 : -1))
    .map(([cid, { added, ...file }]) => ({ cid, ...file, addedAt: getTime(added) }));
}
