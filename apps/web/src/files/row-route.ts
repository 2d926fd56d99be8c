import type { Row } from "../drive/rows.ts";
import type { Route } from "../routes.ts";
import type { GroupedFiles } from "./group-folders.ts";

/**
 * How a row of the list opens: `true` for an encrypted folder that was uploaded as one, `partial` if only files of it are
 * stored, so that it does not open.
 */
export type RowFolder = boolean | "partial";

export function getRowFolder({ cid }: Row, { partial, members }: GroupedFiles): RowFolder {
  return partial.has(cid) ? "partial" : members.has(cid);
}

/** Whether a row is a file of its own that can be shared: not one that everyone can open. */
export function isShareable(row: Row, groups: GroupedFiles): boolean {
  const isFile = row.entry?.type !== "folder" && getRowFolder(row, groups) === false;
  return isFile && row.encryption === true && row.cid !== "";
}

/** Returns the screen that a row opens; `undefined` if it does not open. */
export function getRowRoute({ cid, entry }: Row, folder: RowFolder): Route | undefined {
  if (folder === "partial") return undefined;
  if (entry?.type === "folder") return { screen: "files", folder: entry.path };
  return folder ? { screen: "folder", cid, path: "" } : { screen: "file", cid, tab: "preview" };
}
