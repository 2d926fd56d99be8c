import type { Kit, ListedFile } from "keeplight";
import { openFolder } from "../folder/open-folder.ts";
import { groupFolders } from "./group-folders.ts";

/** What is deleted together with the files and folders that a person has chosen. */
export interface DeletionPlan {
  /** The files of the chosen folders. */
  below: readonly ListedFile[];
  /** The content ids of the chosen folders whose files stay: nothing proves which those are. */
  unproven: ReadonlySet<string>;
  /** Of these files, and of the folders' own entries, in bytes. */
  size: number;
  /** Why one of them could not be opened. */
  error?: unknown;
}

/**
 * Finds the files of folders that are to be deleted, in a complete list of the account's files: a part of it would leave
 * files without a folder. Names alone condemn no file, as anyone may have chosen them: the folder's manifest has to list
 * it, too.
 */
export async function planDeletion(
  kit: Pick<Kit, "iterateFiles" | "readEncryptedFolder">,
  folders: readonly ListedFile[],
  signal: AbortSignal,
): Promise<DeletionPlan> {
  const files: ListedFile[] = [];
  for await (const file of kit.iterateFiles({ signal })) files.push(file);
  const { members, contested } = groupFolders(files);
  const below: ListedFile[] = [];
  const unproven = new Set<string>();
  let error: unknown;
  for (const { cid, id } of folders) {
    if (contested.has(cid)) unproven.add(cid);
    else {
      try {
        const folder = await openFolder(kit, cid, signal);
        // Of the manifest there may be a second row.
        const listed = new Set([cid, ...folder.files.map((file) => file.cid)]);
        below.push(...(members.get(cid) ?? []).filter((file) => file.id !== id && listed.has(file.cid)));
      } catch (reason) {
        signal.throwIfAborted();
        unproven.add(cid);
        error ??= reason;
      }
    }
  }
  const entries = new Set(folders.map(({ id }) => id));
  const deleted = [...below, ...files.filter(({ id }) => entries.has(id))];
  const size = deleted.reduce((sum, { fileSizeInBytes }) => sum + Number(fileSizeInBytes ?? 0), 0);
  return { below, unproven, size, error };
}
