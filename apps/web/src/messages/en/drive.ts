import { formatCount } from "../format.ts";

const item = { one: "item", other: "items" };

const file = { one: "file", other: "files" };

const what = (name: string, count: number) => (count === 1 ? name : formatCount(count, item));

/** Texts of folders of one's own, and of the trash. */
export const drive = {
  newFolder: "New folder",
  create: "Create",
  name: "Name",
  noSlash: "A name can’t contain a slash.",
  rename: "Rename",
  renameTitle: (name: string) => `Rename ${name}`,
  move: "Move…",
  moveTitle: (name: string, count: number) => `Move ${what(name, count)}`,
  moveHere: "Move",
  folder: "Folder",
  moved: (name: string, count: number, folder: string) => `Moved ${what(name, count)} to ${folder}`,
  nameTaken: (name: string) => `“${name}” is already there, so nothing was moved. Rename it, then try again.`,
  moveToTrash: "Move to trash",
  trashOf: (name: string) => `Move ${name} to trash`,
  trashed: (name: string, count: number) => `Moved ${what(name, count)} to trash`,
  renamed: (name: string) => `Renamed to ${name}`,
  undo: "Undo",
  undone: "Undone",
  trash: "Trash",
  trashCount: (count: number) => `Trash (${count})`,
  trashLead: "Files in the trash stay stored, and take space, until you delete them permanently.",
  trashEmpty: "Trash is empty",
  trashEmptyHint: "What you move to trash can be restored from here.",
  emptyTrash: "Empty trash…",
  restore: "Restore",
  restoreOf: (name: string) => `Restore ${name}`,
  restored: (name: string) => `Restored ${name}`,
  removeOf: (name: string) => `Delete ${name} permanently`,
  removeTitle: (name: string, count: number) => `Delete ${what(name, count)} permanently?`,
  removeAction: "Delete permanently",
  removeHint: "With all versions, and links to them. This can’t be undone.",
  removed: (name: string, count: number) => `Deleted ${what(name, count)}`,
  more: (count: number) => `and ${count} more`,
  emptyFolderTitle: "This folder is empty",
  emptyFolderHint: "Drop files above, or move some here.",
  missingTitle: "This folder isn’t here any more",
  missingHint: "It may have been renamed, moved or deleted.",
  showFiles: "Show all files",
  unavailable: "Your folders can’t be opened",
  unavailableHint: "Files are listed by the names that the network has. Encrypted uploads wait until you try again.",
  versions: "Versions",
  versionsHint: "The current version is the one that opens. Older ones stay until the file is deleted permanently.",
  currentVersion: "Current",
  restoreVersion: (time: string) => `Restore the version of ${time}`,
  downloadVersion: (time: string) => `Download the version of ${time}`,
  versionRestored: (time: string) => `Restored the version of ${time}`,
  replaceTitle: (name: string, count: number) =>
    count === 1 ? `${name} is already in this folder` : `${formatCount(count, file)} are already in this folder`,
  replaceHint: "If you replace, the older version stays: open the file to see all its versions.",
  replace: "Replace",
  keepBoth: "Keep both",
  matches: (count: number) => formatCount(count, { one: "match", other: "matches" }),
  inFolder: (path: string) => `In ${path}`,
};
