// Names that `parseFolderName` reads.

const ID_CHARACTERS = "abcdefghijklmnopqrstuvwxyz234567";
const ID_LENGTH = 10;
const MANIFEST_END = ".keeplight-folder.json";

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

/** Drops the start of a name that is too long, so that its extension stays. */
function shorten(name: string): string {
  const encoder = new TextEncoder();
  if (encoder.encode(name).length <= MAX_BYTES) return name;
  const characters = Array.from(name).slice(-MAX_BYTES);
  while (encoder.encode(characters.join("")).length > MAX_BYTES) characters.shift();
  return characters.join("");
}
