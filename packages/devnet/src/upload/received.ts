import type { TreeFile } from "../content/car.ts";
import type { Imported } from "../content/importer.ts";
import { type ContentStore, type Folder, toContentKey } from "../content/store.ts";

/** A received file or folder. */
export interface Entry extends Imported {
  /** Bytes of content, for a folder including all below it. */
  bytes: number;
  mimeType: string | null;
}

/** The context in which a body is received. */
export interface ReceiveContext {
  spoolDir: string;
  /** Receives the blocks that the files do not contain. */
  tree: TreeFile;
  /** Maximum bytes of content. */
  allowance: number;
  /** Aborts when the connection closes. */
  signal: AbortSignal;
}

/** The content of an upload. */
export interface Received {
  /** Files, then folders, each after its entries. */
  entries: readonly Entry[];
  /** Path of each file in the spool, by content key. */
  files: ReadonlyMap<string, string>;
  /** Each folder by content key, after its subfolders. */
  folders: ReadonlyMap<string, Folder>;
}

/** A file in the spool. */
export interface SpooledFile extends Entry {
  spooled: string;
}

/** Builds the entries of each folder from the paths of the files and folders. */
export function buildReceivedTree(files: readonly SpooledFile[], folders: readonly Imported[]): Received {
  const bytesBelow = new Map<string, number>();
  for (const { path, bytes } of files) {
    for (let above = getParent(path); above !== undefined; above = getParent(above)) {
      bytesBelow.set(above, (bytesBelow.get(above) ?? 0) + bytes);
    }
  }
  const children = new Map<string, [string, string][]>(folders.map(({ path }) => [path, []]));
  for (const { path, cid } of [...files, ...folders]) {
    const parent = getParent(path);
    if (parent !== undefined) children.get(parent)?.push([path.slice(path.lastIndexOf("/") + 1), toKey(cid)]);
  }
  return {
    entries: [
      ...files,
      ...folders.map((folder) => ({ ...folder, bytes: bytesBelow.get(folder.path) ?? 0, mimeType: null })),
    ],
    files: new Map(files.map(({ cid, spooled }) => [toKey(cid), spooled])),
    folders: new Map(folders.map(({ cid, path }) => [toKey(cid), Object.fromEntries(children.get(path) ?? [])])),
  };
}

/** Moves an upload from the spool to the store: blocks, then files, then folders, each after its entries. */
export async function storeReceived(
  store: ContentStore,
  { spoolDir: spool, tree }: ReceiveContext,
  { files, folders }: Received,
): Promise<void> {
  const name = await tree.finish();
  if (name !== undefined) await store.adoptTree(name, tree.path);
  for (const [key, spooled] of files) await store.adopt(key, spooled);
  for (const [key, folder] of folders) await store.putFolder(key, folder, spool);
}

/** Returns the files and folders that are in no folder of `entries`. */
export function findRoots(entries: readonly Entry[]): readonly Entry[] {
  const folders = new Set(entries.filter(({ isFolder }) => isFolder).map(({ path }) => path));
  return entries.filter(({ path }) => {
    const parent = getParent(path);
    return parent === undefined || !folders.has(parent);
  });
}

/** Returns the path of the parent folder: empty for the wrapping folder, `undefined` for its own parent. */
function getParent(path: string): string | undefined {
  return path === "" ? undefined : path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

function toKey(cid: string): string {
  return toContentKey(cid) ?? cid;
}
