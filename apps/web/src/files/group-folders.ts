import { type FolderName, type ListedFile, type OpenOperation, parseFolderName } from "keeplight";
import { getPlainSize } from "../file/file-facts.ts";

/** The account's files, with encrypted folders as one entry each. */
export interface GroupedFiles {
  /**
   * What the list shows; the entry of a folder has its name, and the size of all its files. One that is not stored yet
   * has no id, and that of the folder in its name as `cid`.
   */
  shown: readonly ListedFile[];
  /** The files that are named as those of each encrypted folder, by the content id of its entry. Names prove nothing. */
  members: ReadonlyMap<string, readonly ListedFile[]>;
  /** Content ids of the entries that claim the files of another one, too. Each is shown, and has no members. */
  contested: ReadonlySet<string>;
  /** The `cid` of each entry whose upload is not complete: its key may not be saved. */
  unfinished: ReadonlySet<string>;
  /** Those among them whose folder is not stored yet, only files of it. */
  partial: ReadonlySet<string>;
}

/**
 * Finds the files that belong to encrypted folders. Without a manifest, files are on their own, unless their upload is
 * among those that are `open`. So they are with two manifests: names are public, and a file that someone else has named
 * like one must not take the place of the folder's own.
 */
export function groupFolders(files: readonly ListedFile[], open: readonly OpenOperation[] = []): GroupedFiles {
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
  const sending = new Map(listOpenFolders(open).filter(([id]) => !claims.has(id)));
  /** The files that are stored of each folder that is not, by its id. */
  const sent = new Map<string, ListedFile[]>();
  const rest = files.filter((file) => {
    const { id = "" } = names.get(file) ?? {};
    if (sending.has(id)) {
      const known = sent.get(id);
      known?.push(file);
      if (!known) sent.set(id, [file]);
      return known === undefined;
    }
    const [manifest, other] = claims.get(id) ?? [];
    if (manifest === undefined || other !== undefined || entries.get(manifest) === file) return true;
    members.get(manifest)?.push(file);
    return false;
  });
  const several = Array.from(claims.values()).filter(({ size }) => size > 1);
  const contested = new Set(several.flatMap((cids) => [...cids]));
  const shown = rest.map((file) => {
    const name = names.get(file);
    const part = name && sent.get(name.id);
    if (part) return { ...file, id: "", cid: name.id, fileName: sending.get(name.id) ?? "", ...sumSizes(part) };
    if (name?.isManifest !== true) return file;
    if (contested.has(file.cid)) return { ...file, fileName: name.name, ...sumSizes([file]) };
    return { ...file, fileName: name.name, ...sumSizes(members.get(file.cid) ?? []) };
  });
  const partial = new Set(sent.keys());
  return { shown, members, contested, partial, unfinished: new Set([...partial, ...open.flatMap(({ cids }) => cids)]) };
}

/** Returns the id and the name of each folder whose upload is open. The last name is that of its manifest. */
function listOpenFolders(open: readonly OpenOperation[]): [id: string, name: string][] {
  return open.flatMap(({ folder, names }) => {
    const id = folder === undefined ? undefined : parseFolderName(names.at(-1) ?? "")?.id;
    return folder === undefined || id === undefined ? [] : [[id, folder] as [string, string]];
  });
}

function sumSizes(files: readonly ListedFile[]): Pick<ListedFile, "fileSizeInBytes"> {
  return { fileSizeInBytes: String(files.reduce((sum, file) => sum + (getPlainSize(file) || 0), 0)) };
}
