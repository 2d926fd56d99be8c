import { type EntryLike, listBelow, requireEntry } from "./changes.ts";
import type { DriveEntry, DriveFile, Tree } from "./tree.ts";

/** Two devices may have added one each, before either knew the other's: the later one is shown with a number. */
const MANIFEST_NAMES = /^\.keeplight-folder( \(\d+\))?\.json$/;

/** Whether an entry is a list by which a folder is shared, as `drive.addManifest` adds it; also one with a number in its name. */
export function isFolderManifest({ type, name }: DriveEntry): boolean {
  return type === "file" && MANIFEST_NAMES.test(name);
}

/**
 * Lists the files that an entry stands for, without those in the trash. Manifests of folders are not among them: they have
 * names.
 */
export function listSharedFiles(tree: Tree, entry: EntryLike): DriveFile[] {
  const top = requireEntry(tree, entry);
  return listBelow(tree, top).flatMap((each) =>
    each.type !== "file" || each.trashed || (each.id !== top.id && isFolderManifest(each)) ? [] : each,
  );
}
