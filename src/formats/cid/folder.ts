import { sha256 } from "#platform";
import { KeeplightError } from "../../base/errors/base.ts";
import { invalidSource } from "../../base/errors/input.ts";
import { type CidVersion, encodeCid } from "./content-id.ts";
import { encodeFolderNode, type Link, type NamedLink } from "./unixfs.ts";

/** From here on (names and ids) Kubo splits a folder into a hash array mapped trie, which this kit does not compute. */
const MAX_FOLDER_BYTES = 262_144;
const CID_BYTES = { 0: 34, 1: 36 } as const satisfies Record<CidVersion, number>;

/** A folder's entries by name: folders, or the paths of files. */
type Folder = Map<string, Folder | string>;

const utf8 = new TextEncoder();

/**
 * Builds the folders of files with these paths (separated by `/`), before anything else about the files is known.
 *
 * @returns computes the folders' content ids, by path (`""` is the one that wraps everything), from those of the files
 * @param wrap - puts everything into one more folder, without a name
 * @throws `UNSUPPORTED` for a folder too large for one block; `INVALID_SOURCE` for a path that is both a
 * file and a folder
 */
export function planFolders(paths: readonly string[], version: CidVersion, wrap: boolean) {
  const top: Folder = new Map();
  for (const path of paths) {
    const names = path.split("/");
    const fileName = names.pop() ?? "";
    let folder = top;
    for (const name of names) folder = openSubfolder(folder, name, path);
    if (folder.has(fileName)) throw invalidSource(`${path} is there twice`, { name: path });
    folder.set(fileName, path);
  }
  for (const [name, entry] of top) if (typeof entry !== "string") refuseTooLarge(name, entry, version);
  if (wrap) refuseTooLarge("", top, version);

  return async (files: ReadonlyMap<string, Link>): Promise<Map<string, Link>> => {
    const folders = new Map<string, Link>();

    async function toLink(folder: Folder, path: string): Promise<Link> {
      const entries: NamedLink[] = [];
      for (const [name, entry] of folder) {
        const link =
          typeof entry === "string" ? files.get(entry) : await toLink(entry, path === "" ? name : `${path}/${name}`);
        if (!link) throw new Error("A file was not hashed");
        entries.push({ ...link, name: utf8.encode(name) });
      }
      const block = encodeFolderNode(entries);
      const link = {
        cid: encodeCid(version, "dag-pb", await sha256(block)),
        treeBytes: entries.reduce((sum, { treeBytes }) => sum + treeBytes, block.length),
        fileBytes: 0,
      };
      folders.set(path, link);
      return link;
    }

    if (wrap) await toLink(top, "");
    else for (const [name, entry] of top) if (typeof entry !== "string") await toLink(entry, name);
    return folders;
  };
}

function openSubfolder(folder: Folder, name: string, path: string): Folder {
  const existing = folder.get(name);
  if (typeof existing === "string") throw invalidSource(`${existing} is a file and a folder`, { name: path });
  const subfolder: Folder = existing ?? new Map();
  folder.set(name, subfolder);
  return subfolder;
}

function refuseTooLarge(path: string, folder: Folder, version: CidVersion): void {
  let size = 0;
  for (const [name, entry] of folder) {
    size += utf8.encode(name).length + CID_BYTES[version];
    if (typeof entry !== "string") refuseTooLarge(`${path}/${name}`, entry, version);
  }
  if (size < MAX_FOLDER_BYTES) return;
  const problem = `it has too many entries (${folder.size}) for one block`;
  throw new KeeplightError("UNSUPPORTED", `Cannot verify the content id of ${path || "the root folder"}: ${problem}`, {
    details: { name: path, entries: folder.size },
  });
}
