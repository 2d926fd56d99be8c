import type { DriveEntry } from "@keeplight/drive";
import { useMemo } from "react";
import { useAccountData } from "../session/account-data.tsx";
import { findFolder, type Row, toRows } from "./rows.ts";

/** What a folder shows. */
export interface FolderRows {
  rows: readonly Row[];
  /** `undefined` at the top. */
  folder: DriveEntry | undefined;
  isMissing: boolean;
}

/**
 * The rows of a folder; or of all folders, for a search. Files that are in no folder are at the top.
 *
 * @param path - empty at the top
 */
export function useRows(path: string, isSearch: boolean): FolderRows {
  const { drive, files, groups, loose } = useAccountData();
  const { entries, files: placed } = drive;
  const listed = useMemo(() => new Map(files.files.map((file) => [file.cid, file])), [files.files]);
  return useMemo(() => {
    const folder = path === "" ? undefined : findFolder(entries, path);
    const isMissing = path !== "" && folder === undefined;
    const parent = folder?.id ?? "";
    const shown = entries.filter((entry) => !entry.trashed && (isSearch || (!isMissing && entry.parent === parent)));
    const rows = toRows(entries, shown, listed);
    // Of a folder that is not stored yet there is no row in the listing.
    const others = groups.shown.filter(({ id, cid }) => (id === "" || loose?.has(id)) && !placed.has(cid));
    return { rows: path === "" || isSearch ? [...rows, ...others] : rows, folder, isMissing };
  }, [entries, placed, listed, groups, loose, path, isSearch]);
}
