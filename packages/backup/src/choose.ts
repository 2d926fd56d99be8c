import { type Entry, type FileEntry, isBelow } from "./entries.ts";

/**
 * Yields the entries of a path of a snapshot: what is there and below it, and the folders above it. Of a file that has names only
 * there, the first of them is the file.
 *
 * @param path - `undefined` for everything
 */
export async function* listChosen(entries: AsyncIterable<Entry>, path: string | undefined): AsyncGenerator<Entry> {
  const others = new Map<string, FileEntry>();
  const moved = new Map<string, string>();
  for await (const entry of entries) {
    const isChosen = path === undefined || entry.path === path || isBelow(entry.path, path);
    if (!isChosen) {
      if (entry.kind === "file" && entry.hasNames) others.set(entry.path, entry);
      else if (entry.kind === "folder" && isBelow(path, entry.path)) yield entry;
    } else if (entry.kind !== "name") {
      yield entry;
    } else {
      const file = others.get(entry.of);
      const of = moved.get(entry.of);
      if (file && of === undefined) moved.set(entry.of, entry.path);
      yield file && of === undefined ? { ...file, path: entry.path } : { ...entry, of: of ?? entry.of };
    }
  }
}
