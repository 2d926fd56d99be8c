import type { FolderFile } from "keeplight";
import type { ShownEntry } from "./folder-row.tsx";
import { sortEntries } from "./sort-entries.ts";

/** Returns the entries of each folder in an encrypted one, by its path, in the order in which they are shown. */
export function createFolderTree(files: readonly FolderFile[]): ReadonlyMap<string, readonly ShownEntry[]> {
  const folders = new Map<string, ShownEntry[]>([["", []]]);

  function getFolder(path: string): ShownEntry[] {
    const known = folders.get(path);
    if (known) return known;
    const entries: ShownEntry[] = [];
    folders.set(path, entries);
    const [above, name] = splitPath(path);
    getFolder(above).push({ name, type: "folder" });
    return entries;
  }

  for (const { path, cid, size } of files) {
    const [above, name] = splitPath(path);
    getFolder(above).push({ name, type: "file", cid, size });
  }
  return new Map(Array.from(folders, ([path, entries]) => [path, sortEntries(entries)]));
}

/** Returns the folder that a path is in, and the last name of it. */
function splitPath(path: string): [folder: string, name: string] {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? ["", path] : [path.slice(0, slash), path.slice(slash + 1)];
}
