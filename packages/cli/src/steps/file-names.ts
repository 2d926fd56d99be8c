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

function findNameProblem(name: string): string | undefined {
  if (name === "" || name === "." || name === "..") return "it leads to another place";
  if (NOT_IN_NAMES.test(name)) return 'a name has a control character, or one of <>:"|?*\\';
  if (/[. ]$/.test(name)) return "a name ends in a dot or a space";
  if (RESERVED.test(name)) return "a name is that of a device";
  return Buffer.byteLength(name) > LIMIT_BYTES ? "a name is too long" : undefined;
}

/** Returns what some file systems take for the same path: they ignore case, Unicode normalisation and what is invisible. */
function fold(path: string): string {
  return path
    .normalize("NFC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toUpperCase()
    .normalize("NFC");
}

/** Lists the paths of a tree that the rules of some system forbid, or that collide with others there. */
export function findUnsafePaths(files: readonly string[], folders: readonly string[]): UnsafePath[] {
  const unsafe: UnsafePath[] = [];
  const seen = new Map<string, { path: string; isFile: boolean }>();
  const check = (path: string, isFile: boolean): string | undefined => {
    const prefixes = listPrefixes(path);
    const problem = path.split("/").map(findNameProblem).find(Boolean);
    if (problem !== undefined) return problem;
    for (const [at, prefix] of prefixes.entries()) {
      const isWhole = at === prefixes.length - 1;
      const key = fold(prefix);
      const other = seen.get(key);
      if (!other) seen.set(key, { path: prefix, isFile: isFile && isWhole });
      else if (other.path !== prefix || other.isFile || (isFile && isWhole)) return `it collides with ${other.path}`;
    }
    return undefined;
  };
  for (const [paths, isFile] of [
    [files, true],
    [folders, false],
  ] as const) {
    for (const path of paths) {
      const reason = check(path, isFile);
      if (reason !== undefined) unsafe.push({ path, reason });
    }
  }
  return unsafe;
}

/** Lists the folders that a path is in, outermost first, and the path itself. */
export function listPrefixes(path: string): string[] {
  const names = path.split("/");
  return names.map((_, at) => names.slice(0, at + 1).join("/"));
}

/**
 * Returns what renames the paths of a tree that not every system can write: characters that some system has no name with become
 * `_`, and of names that collide all but the first get a number. The same tree gets the same paths.
 */
export function toSafePaths(paths: readonly string[]): (path: string) => string {
  const safe = new Map([["", ""]]);
  const taken = new Set<string>();
  for (const path of [...paths].sort()) {
    for (const prefix of listPrefixes(`/${path}`).slice(1)) {
      if (safe.has(prefix)) continue;
      const end = prefix.lastIndexOf("/");
      const parent = safe.get(prefix.slice(0, end));
      const name = toSafeName(prefix.slice(end + 1));
      const toPath = (number: string) => `${parent ? `${parent}/` : ""}${addNumber(name, number)}`;
      let chosen = toPath("");
      for (let number = 2; taken.has(fold(chosen)); number++) chosen = toPath(` (${number})`);
      taken.add(fold(chosen));
      safe.set(prefix, chosen);
    }
  }
  return (path) => safe.get(`/${path}`) ?? path;
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
