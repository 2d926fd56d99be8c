// Names that the network has for an encrypted folder. They show which files belong together without decrypting anything;
// the names that count are those in the manifest.

/** What the name of a stored file says about the encrypted folder that it belongs to. */
export interface FolderName {
  /** Identifies the folder among those of an account. */
  id: string;
  /** Of the folder if `isManifest`, otherwise of the file, with `-` for `/` and possibly shortened. */
  name: string;
  /** Whether it is the manifest, whose content id is that of the folder. */
  isManifest: boolean;
}

const ID_CHARACTERS = "abcdefghijklmnopqrstuvwxyz234567";
const ID_LENGTH = 10;
const MANIFEST_END = ".keeplight-folder.json";
const MANIFEST = /^(.+)\.([a-z2-7]{10})\.keeplight-folder\.json$/s;
const FILE = /^([a-z2-7]{10})\.(.+)$/s;

/** Longest part of a name that a path or the name of a folder is shortened to, in bytes. */
const MAX_BYTES = 200;

/** Creates the id of a new folder: 50 random bits. */
export function createFolderId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_LENGTH));
  return Array.from(bytes, (byte) => ID_CHARACTERS[byte % ID_CHARACTERS.length]).join("");
}

/** Returns the name that a folder's manifest is stored under. */
export function toManifestName(name: string, id: string): string {
  return `${shorten(name)}.${id}${MANIFEST_END}`;
}

/** Returns the names that the files at these paths of a folder are stored under: unique, as `toKey` reads them. */
export function toStoredNames(paths: readonly string[], id: string, toKey: (name: string) => string): string[] {
  const taken = new Set<string>();
  return paths.map((path, at) => {
    const flat = shorten(path.replaceAll("/", "-"));
    let name = `${id}.${flat}`;
    for (let attempt = 0; taken.has(toKey(name)); attempt++) name = `${id}.${at}.${attempt}.${flat}`;
    taken.add(toKey(name));
    return name;
  });
}

/**
 * Reads the name of a listed file: to which encrypted folder it belongs, if to any. Nobody checks such names: whether a
 * manifest is one shows only when it is read.
 *
 * @param fileName - `fileName` of a row of `listFiles`
 *
 * @example
 * const folders = fileList.filter(({ fileName }) => parseFolderName(fileName ?? "")?.isManifest);
 */
export function parseFolderName(fileName: string): FolderName | undefined {
  const [, folder, folderId] = MANIFEST.exec(fileName) ?? [];
  if (folder !== undefined && folderId !== undefined) return { id: folderId, name: folder, isManifest: true };
  const [, id, name] = FILE.exec(fileName) ?? [];
  return id !== undefined && name !== undefined ? { id, name, isManifest: false } : undefined;
}

/** Drops the start of a name that is too long, so that its extension stays. */
function shorten(name: string): string {
  const encoder = new TextEncoder();
  if (encoder.encode(name).length <= MAX_BYTES) return name;
  const characters = Array.from(name).slice(-MAX_BYTES);
  while (encoder.encode(characters.join("")).length > MAX_BYTES) characters.shift();
  return characters.join("");
}
