import { contentKey } from "../content/cids.ts";
import type { Imported } from "../content/importer.ts";
import type { ContentStore, Folder } from "../content/store.ts";

/** A file or folder that has come in. */
export interface Entry extends Imported {
  /** Bytes of content in it or below it. */
  bytes: number;
  mimeType: string | null;
}

/** What an upload held. */
export interface Received {
  /** Files, then folders, each after what is in it. */
  entries: readonly Entry[];
  /** Where each file is in the spool, by content key. */
  files: ReadonlyMap<string, string>;
  /** What each folder holds, by content key; each after those in it. */
  folders: ReadonlyMap<string, Folder>;
}

/** A file that lies in the spool. */
export interface SpooledFile extends Entry {
  spooled: string;
}

/** Works out from their paths what each folder holds. */
export function receivedTree(files: readonly SpooledFile[], folders: readonly Imported[]): Received {
  const bytesBelow = new Map<string, number>();
  for (const { path, bytes } of files) {
    for (let above = parentOf(path); above !== undefined; above = parentOf(above)) {
      bytesBelow.set(above, (bytesBelow.get(above) ?? 0) + bytes);
    }
  }
  const holds = new Map<string, [string, string][]>(folders.map(({ path }) => [path, []]));
  for (const { path, cid } of [...files, ...folders]) {
    const parent = parentOf(path);
    if (parent !== undefined) holds.get(parent)?.push([path.slice(path.lastIndexOf("/") + 1), keyOf(cid)]);
  }
  return {
    entries: [
      ...files,
      ...folders.map((folder) => ({ ...folder, bytes: bytesBelow.get(folder.path) ?? 0, mimeType: null })),
    ],
    files: new Map(files.map(({ cid, spooled }) => [keyOf(cid), spooled])),
    folders: new Map(folders.map(({ cid, path }) => [keyOf(cid), Object.fromEntries(holds.get(path) ?? [])])),
  };
}

/** Moves what came in from the spool to the store; whatever is in a folder is there before the folder is. */
export async function storeReceived(store: ContentStore, spool: string, { files, folders }: Received): Promise<void> {
  for (const [key, spooled] of files) await store.adopt(key, spooled);
  for (const [key, folder] of folders) await store.putFolder(key, folder, spool);
}

/** The files and folders that no folder among `entries` holds. */
export function rootsOf(entries: readonly Entry[]): readonly Entry[] {
  const folders = new Set(entries.filter(({ isFolder }) => isFolder).map(({ path }) => path));
  return entries.filter(({ path }) => {
    const parent = parentOf(path);
    return parent === undefined || !folders.has(parent);
  });
}

/** The path of the folder that holds `path`, empty for the nameless one that wraps everything; that one has none. */
function parentOf(path: string): string | undefined {
  return path === "" ? undefined : path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

function keyOf(cid: string): string {
  return contentKey(cid) ?? cid;
}
