import { clean } from "../output/format.ts";

const RESERVED = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\.|$)/i;
/** File systems allow 255 bytes; a part of that is left for temporary names. */
const MAX_BYTES = 200;
const LIMIT_BYTES = 255;

/**
 * Makes a file name of one that the network reports: in one folder, not hidden, not an option of a command, and valid on
 * every file system. Returns `undefined` if nothing is left of it.
 */
export function toFileName(reported: string): string | undefined {
  const last = reported.split(/[\\/]/).at(-1) ?? "";
  const shown = clean(last)
    .replace(/[<>:"|?*\ufffd]/g, "_")
    .replace(/^[.\-\s~]+/, "")
    .replace(/[.\s]+$/, "");
  const cut = cutBytes(shown).replace(/[.\s]+$/, "");
  if (/^_*$/.test(cut)) return undefined;
  return RESERVED.test(cut) ? `_${cut}` : cut;
}

/** Cuts a name to its longest allowed length, before its ending. */
function cutBytes(name: string, maxBytes = MAX_BYTES): string {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  const [, stem = name, ending = ""] = /^(.+?)(\.[^.]{1,16})?$/su.exec(name) ?? [];
  let cut = "";
  let bytes = Buffer.byteLength(ending);
  for (const character of stem) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    cut += character;
  }
  return cut + ending;
}

/** A path that not every system can write where it says. */
export interface UnsafePath {
  path: string;
  reason: string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to be found
const NOT_IN_NAMES = /[\u0000-\u001f\u007f<>:"|?*\\/]/;

/** The longest path in bytes that any system can write. */
const MAX_PATH_BYTES = 4096;

export const TOO_LONG = "the path is too long";

/** Whether no system can write a path. */
export const isPathTooLong = (path: string): boolean => Buffer.byteLength(path) > MAX_PATH_BYTES;

function findNameProblem(name: string): string | undefined {
  if (name === "" || name === "." || name === "..") return "it leads to another place";
  if (NOT_IN_NAMES.test(name)) return 'a name has a control character, or one of <>:"|?*\\';
  if (/[. ]$/.test(name)) return "a name ends in a dot or a space";
  if (RESERVED.test(name)) return "a name is that of a device";
  return Buffer.byteLength(name) > LIMIT_BYTES ? "a name is too long" : undefined;
}

/** Returns what some file systems take for the same name: they ignore case, Unicode normalisation and what is invisible. */
function fold(name: string): string {
  return name
    .normalize("NFC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toUpperCase()
    .normalize("NFC");
}

/** Lists the paths of a tree that the rules of some system forbid, or that collide with others there. */
export function findUnsafePaths(files: readonly string[], folders: readonly string[]): UnsafePath[] {
  const root = createPlace(false);
  const unsafe: UnsafePath[] = [];
  const add = (path: string, isFile: boolean) => {
    const reason = isPathTooLong(path) ? TOO_LONG : addPath(root, path.split("/"), isFile);
    if (reason !== undefined) unsafe.push({ path, reason });
  };
  for (const path of files) add(path, true);
  for (const path of folders) add(path, false);
  return unsafe;
}

/** A file or folder whose path is safe. */
interface Place {
  isFile: boolean;
  /** What is in it, by its name. */
  below: Map<string, Place>;
  /** Names of what is in it, by what some file systems take for the same name. */
  names: Map<string, string>;
}

const createPlace = (isFile: boolean): Place => ({ isFile, below: new Map(), names: new Map() });

/** Adds a path to those that are safe, or returns why it is not. */
function addPath(root: Place, names: readonly string[], isFile: boolean): string | undefined {
  let place = root;
  let at = 0;
  const collision = (name: string) => `it collides with ${[...names.slice(0, at), name].join("/")}`;
  // What is there was checked when it was added.
  for (let next = getFolder(place, names[0]); next; next = getFolder(place, names[at])) {
    place = next;
    at += 1;
  }
  const problem = names.slice(at).map(findNameProblem).find(Boolean);
  if (problem !== undefined) return problem;
  if (at === names.length && isFile) {
    at -= 1;
    return collision(names[at] ?? "");
  }
  for (; at < names.length; at++) {
    const name = names[at] ?? "";
    const key = fold(name);
    const other = place.names.get(key);
    if (other !== undefined) return collision(other);
    const next = createPlace(isFile && at === names.length - 1);
    place.names.set(key, name);
    place.below.set(name, next);
    place = next;
  }
  return undefined;
}

function getFolder({ below }: Place, name = ""): Place | undefined {
  const place = below.get(name);
  return place?.isFile ? undefined : place;
}

/**
 * Returns what renames the paths of a tree that not every system can write: characters that some system has no name with become
 * `_`, and of names that collide all but the first get a number. The same tree gets the same paths.
 */
export function toSafePaths(paths: readonly string[]): (path: string) => string {
  const root = createSafePlace("");
  const safe = new Map<string, string>();
  for (const path of [...paths].sort()) {
    const names: string[] = [];
    let place = root;
    for (const name of path.split("/")) {
      const next = place.below.get(name) ?? createSafePlace(chooseName(place, toSafeName(name)));
      place.below.set(name, next);
      names.push(next.name);
      place = next;
    }
    safe.set(path, names.join("/"));
  }
  return (path) => safe.get(path) ?? path;
}

/** A name as it is written, with what is in it by the names of its author. */
interface SafePlace {
  name: string;
  below: Map<string, SafePlace>;
  /** Names that are taken in it, as file systems compare them, each with the number that was added last. */
  taken: Map<string, number>;
}

const createSafePlace = (name: string): SafePlace => ({ name, below: new Map(), taken: new Map() });

/** Takes a name in a folder, with the first number that makes it unique. */
function chooseName({ taken }: SafePlace, name: string): string {
  const key = fold(name);
  let number = taken.get(key) ?? 0;
  let chosen = name;
  while (taken.has(fold(chosen))) {
    number = Math.max(number, 1) + 1;
    chosen = addNumber(name, ` (${number})`);
  }
  taken.set(fold(chosen), 0);
  taken.set(key, number);
  return chosen;
}

function toSafeName(name: string): string {
  const written = cutBytes(name.split(NOT_IN_NAMES).join("_")).replace(/[. ]+$|^$/, "_");
  return RESERVED.test(written) ? `_${written}` : written;
}

/** Adds a number to a name, before its ending. */
export function addNumber(name: string, number: string): string {
  const [, stem = name, ending = ""] = /^(.+?)(\.[^.]{1,16})?$/su.exec(name) ?? [];
  return `${stem}${number}${ending}`;
}
