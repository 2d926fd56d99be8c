import { type FolderName, type ListedFile, parseFolderName } from "keeplight";

/** The account's files, with encrypted folders as one entry each. */
export interface GroupedFiles {
  /** What the list shows; the entry of a folder has its name, and the size of all its files. */
  shown: readonly ListedFile[];
  /** The files that are named as those of each encrypted folder, by the content id of its entry. Names prove nothing. */
  members: ReadonlyMap<string, readonly ListedFile[]>;
  /** Content ids of the entries that claim the files of another one, too. Each is shown, and has no members. */
  contested: ReadonlySet<string>;
}

/**
 * Finds the files that belong to encrypted folders. Without a manifest, files are on their own. So they are with two:
 * names are public, and a file that someone else has named like a manifest must not take the place of the folder's own.
 */
export function groupFolders(files: readonly ListedFile[]): GroupedFiles {
  const names = new Map<ListedFile, FolderName>();
  /** Content ids of the manifests that claim each id of a folder. */
  const claims = new Map<string, Set<string>>();
  /** One row of each manifest: after a lost response it may have two. */
  const entries = new Map<string, ListedFile>();
  for (const file of files) {
    const name = file.encryption === true ? parseFolderName(file.fileName ?? "") : undefined;
    if (name === undefined) continue;
    names.set(file, name);
    if (!name.isManifest) continue;
    claims.set(name.id, (claims.get(name.id) ?? new Set()).add(file.cid));
    if (!entries.has(file.cid)) entries.set(file.cid, file);
  }
  const members = new Map<string, ListedFile[]>(Array.from(entries.keys(), (cid) => [cid, []]));
  const rest = files.filter((file) => {
    const [manifest, other] = claims.get(names.get(file)?.id ?? "") ?? [];
    if (manifest === undefined || other !== undefined || entries.get(manifest) === file) return true;
    members.get(manifest)?.push(file);
    return false;
  });
  const several = Array.from(claims.values()).filter(({ size }) => size > 1);
  const contested = new Set(several.flatMap((cids) => [...cids]));
  const shown = rest.map((file) => {
    const name = names.get(file);
    if (name?.isManifest !== true) return file;
    if (contested.has(file.cid)) return { ...file, fileName: name.name };
    const below = members.get(file.cid) ?? [];
    const size = below.reduce((sum, { fileSizeInBytes }) => sum + Number(fileSizeInBytes ?? 0), 0);
    return { ...file, fileName: name.name, fileSizeInBytes: String(size) };
  });
  return { shown, members, contested };
}
