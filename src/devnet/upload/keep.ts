import { contentKey } from "../content/cids.ts";
import type { Imported } from "../content/importer.ts";
import type { ContentStore, Folder } from "../content/store.ts";
import type { Received } from "./receive.ts";

/** Moves what came in from the spool to the store, and writes down what each folder holds. */
export async function keep(store: ContentStore, { files, folders }: Received): Promise<void> {
  const children = new Map<string, [string, string][]>(folders.map(({ path }) => [path, []]));
  for (const { path, cid } of [...files, ...folders]) {
    const slash = path.lastIndexOf("/");
    if (path !== "") children.get(path.slice(0, Math.max(slash, 0)))?.push([path.slice(slash + 1), key(cid)]);
  }
  for (const { cid, spooled } of files) await store.adopt(key(cid), spooled);
  for (const { cid, path } of folders) {
    const folder: Folder = Object.fromEntries(children.get(path) ?? []);
    await store.putFolder(key(cid), folder);
  }
}

/** The files and folders that no folder among `entries` holds. */
export function rootsOf(entries: readonly Imported[]): readonly Imported[] {
  const folders = new Set(entries.filter(({ isFolder }) => isFolder).map(({ path }) => path));
  return entries.filter(({ path }) => path === "" || !folders.has(path.slice(0, Math.max(path.lastIndexOf("/"), 0))));
}

function key(cid: string): string {
  return contentKey(cid) ?? cid;
}
