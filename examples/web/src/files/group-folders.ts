import { type FolderName, type ListedFile, parseFolderName } from "keeplight";

/** The account's files, with encrypted folders as one entry each. */
export interface GroupedFiles {
  /** What the list shows; the entry of a folder has its name, and the size of all its files. */
  shown: readonly ListedFile[];
  /** The files of each encrypted folder, without its manifest, by the content id of its entry. */
  members: ReadonlyMap<string, readonly ListedFile[]>;
}

/** Finds the files that belong to encrypted folders. Without a manifest, files are on their own. */
export function groupFolders(files: readonly ListedFile[]): GroupedFiles {
  const names = new Map<ListedFile, FolderName>();
  /** The newest manifest of each folder: after a lost response there may be two. */
  const manifests = new Map<string, ListedFile>();
  for (const file of files) {
    const name = file.encryption === true ? parseFolderName(file.fileName ?? "") : undefined;
    if (name === undefined) continue;
    names.set(file, name);
    const known = manifests.get(name.id);
    if (name.isManifest && (known?.createdAt ?? -1) < (file.createdAt ?? 0)) manifests.set(name.id, file);
  }
  const members = new Map<string, ListedFile[]>(Array.from(manifests.values(), ({ cid }) => [cid, []]));
  const rest = files.filter((file) => {
    const manifest = manifests.get(names.get(file)?.id ?? "");
    if (manifest === undefined || manifest === file) return true;
    members.get(manifest.cid)?.push(file);
    return false;
  });
  const shown = rest.map((file) => {
    const below = members.get(file.cid);
    const name = names.get(file);
    if (below === undefined || name?.isManifest !== true) return file;
    const size = below.reduce((sum, { fileSizeInBytes }) => sum + Number(fileSizeInBytes ?? 0), 0);
    return { ...file, fileName: name.name, fileSizeInBytes: String(size) };
  });
  return { shown, members };
}
