import type { DriveEntry } from "@keeplight/drive";
import type { ListedFile } from "keeplight";
import { encryptedSize } from "keeplight/parts";
import { getPlainSize } from "../file/file-facts.ts";
import type { ContainedFile } from "../folder/list-archive.ts";

/** A row of the list of files: what is stored, or a folder of the drive. */
export interface Row extends ListedFile {
  /** Of what is in the drive. `id` is then that of the entry, and a folder has no `cid`. */
  entry?: DriveEntry;
}

/** What a row was made of. */
interface Made {
  listed: ListedFile | undefined;
  size: number;
  row: Row;
}

/** The same object as long as nothing of it changes, so that it is rendered once. */
const known = new WeakMap<DriveEntry, Made>();

/** Sizes of what is in each folder, by its id. */
function sumFolders(entries: readonly DriveEntry[]): ReadonlyMap<string, number> {
  const folders = new Map(entries.flatMap((entry) => (entry.type === "folder" ? [[entry.id, entry] as const] : [])));
  const sums = new Map<string, number>();
  for (const entry of entries) {
    if (entry.type !== "file" || entry.trashed) continue;
    for (let at = folders.get(entry.parent); at; at = folders.get(at.parent)) {
      sums.set(at.id, (sums.get(at.id) ?? 0) + entry.size);
    }
  }
  return sums;
}

/**
 * Returns the rows of entries.
 *
 * @param shown - those among `entries` to return
 * @param listed - the account's listing, by content id
 */
export function toRows(
  entries: readonly DriveEntry[],
  shown: readonly DriveEntry[],
  listed: ReadonlyMap<string, ListedFile>,
): Row[] {
  const sums = sumFolders(entries);
  return shown.map((entry) => {
    const stored = entry.type === "file" ? listed.get(entry.cid) : undefined;
    const size = entry.type === "file" ? entry.size : (sums.get(entry.id) ?? 0);
    const made = known.get(entry);
    if (made && made.listed === stored && made.size === size) return made.row;
    const row = toRow(entry, stored, size);
    known.set(entry, { listed: stored, size, row });
    return row;
  });
}

function toRow(entry: DriveEntry, stored: ListedFile | undefined, size: number): Row {
  const common = { id: entry.id, fileName: entry.name, publicKey: null, entry };
  if (entry.type === "folder") {
    return { ...common, cid: "", encryption: true, createdAt: null, fileSizeInBytes: String(size) };
  }
  // What was adopted may not be encrypted; the listing says so.
  const encryption = stored?.encryption ?? true;
  return {
    ...common,
    cid: entry.cid,
    encryption,
    createdAt: entry.addedAt,
    fileSizeInBytes: stored?.fileSizeInBytes ?? String(encryption ? encryptedSize(size) : size),
    mimeType: entry.mimeType ?? stored?.mimeType ?? null,
    status: stored?.status,
  };
}

/** Finds the folder at a path; `undefined` at the top, and if there is none. */
export function findFolder(entries: readonly DriveEntry[], path: string): DriveEntry | undefined {
  return entries.find((entry) => entry.type === "folder" && !entry.trashed && entry.path === path);
}

/** Returns those of the rows that are in no folder among them: a search finds both. */
export function listOutermost(rows: readonly Row[]): Row[] {
  const folders = new Set(rows.flatMap(({ entry }) => (entry?.type === "folder" ? [entry.path] : [])));
  return rows.filter(({ entry }) => {
    const names = entry?.path.split("/") ?? [];
    return !names.some((_, depth) => depth > 0 && folders.has(names.slice(0, depth).join("/")));
  });
}

/** Lists the files below a folder, those in its folders, too. */
export function listContent(
  entries: readonly DriveEntry[],
  { path: place }: DriveEntry,
  listed: readonly ListedFile[],
): ContainedFile[] {
  const rows = new Map(listed.map((row) => [row.cid, row]));
  return entries.flatMap((entry) => {
    if (entry.type !== "file" || entry.trashed || !entry.path.startsWith(`${place}/`)) return [];
    const { cid, commitment, chunkProfile } = entry;
    const row = rows.get(cid);
    // Of what another client has stored, the drive may not know it.
    const size = entry.size === 0 && row ? getPlainSize(row) || 0 : entry.size;
    const path = entry.path.slice(place.length + 1);
    return { path, cid, size, commitment, chunkProfile, isPublic: row?.encryption === false };
  });
}
