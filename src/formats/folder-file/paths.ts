import { printable } from "../../base/errors/base.ts";

/** Longest path in a folder, in characters. */
const MAX_PATH = 4_096;

/** Most names in a path: a manifest of deep trees would otherwise take a reader's memory. */
const MAX_DEPTH = 100;

/** Most folders in a folder, all levels together. */
const MAX_FOLDERS = 200_000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to be found
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Returns what is wrong with a path in a folder, names separated by `/`; `undefined` for one that is valid. */
export function findPathProblem(path: unknown): string | undefined {
  if (typeof path !== "string" || path === "") return "a path is empty";
  if (path.length > MAX_PATH) return `a path is longer than ${MAX_PATH} characters`;
  const problem = findTextProblem(path);
  if (problem !== undefined) return `a path ${problem}`;
  const names = path.split("/");
  if (names.length > MAX_DEPTH) return `a path has more than ${MAX_DEPTH} names`;
  if (names.includes("") || isEscape(path)) return "a path is absolute, or has an empty, '.' or '..' part";
  return undefined;
}

/** Returns what is wrong with text that people read, such as `has control characters`; `undefined` if it reads as it is written. */
export function findTextProblem(text: string): string | undefined {
  if (CONTROL.test(text)) return "has control characters";
  if (/\p{Surrogate}/u.test(text)) return "is not well-formed Unicode";
  return TURNS_TEXT.test(text) ? "has marks that turn the direction of text" : undefined;
}

/** Returns what is wrong with the name of a folder; `undefined` for a valid one. */
export function findNameProblem(name: unknown): string | undefined {
  const problem = findPathProblem(name);
  return problem ?? (String(name).includes("/") ? "its name has a slash" : undefined);
}

/**
 * Returns what is wrong with the paths of all files of a folder, and the path, if it is one: two files have it, or it is a
 * file and a folder. `undefined` for a valid tree.
 */
export function findTreeProblem(paths: readonly string[]): { problem: string; duplicate?: string } | undefined {
  const files = new Set<string>();
  for (const path of paths) {
    if (files.has(path)) return { problem: "two files in it have one path", duplicate: path };
    files.add(path);
  }
  const folders = new Set<string>();
  for (const path of paths) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const folder = path.slice(0, at);
      // So are the folders that it is in.
      if (folders.has(folder)) break;
      if (files.has(folder)) return { problem: "a path in it is a file and a folder", duplicate: folder };
      folders.add(folder);
      if (folders.size > MAX_FOLDERS) return { problem: `it has more than ${MAX_FOLDERS} folders` };
    }
  }
  return undefined;
}

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

// What the platforms' file systems make of names. Linux and macOS write every name without a slash, apart from `.` and `..`;
// Windows reads some as devices, streams, drives or paths, and drops dots and spaces at the end.

/** Longest name of a file, in characters. */
const MAX_NAME = 255;

/** Names of devices, which Windows opens regardless of an extension. */
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\.|$)/i;

/** Separators and wildcards, and the colon, which starts the name of a stream; dots and spaces at the end. */
const NOT_ON_WINDOWS = /[<>:"|?*\\]|[. ]$/;

/** `.` and `..`, and what Windows makes these of. */
const DOTS_ONLY = /^[. ]+$/;

/**
 * Marks that turn the direction of all text up to their end, so that `a\u202egpj.exe` reads `aexe.jpg`. Single left-to-right
 * and right-to-left marks, as honest names have, do not do that.
 */
const TURNS_TEXT = /[\u202a-\u202e\u2066-\u2069]/;

/** Whether a path, names separated by `/`, leads out of its folder on some platform. */
function isEscape(path: string): boolean {
  return /^(\\|[a-z]:)/i.test(path) || path.split(/[\\/]/).some((name) => DOTS_ONLY.test(name));
}

/** Whether Windows cannot write a path, names separated by `/`, or writes something else. */
export function isUnportable(path: string): boolean {
  return path.split("/").some((name) => NOT_ON_WINDOWS.test(name) || DEVICE.test(name));
}

/**
 * Whether a stranger may suggest the name for a file that is saved by itself: every platform can write it, it is shown as it
 * is, and it is not hidden, as what `.bashrc` configures would be.
 */
export function isSafeName(name: unknown): name is string {
  return (
    typeof name === "string" &&
    name.trim() !== "" &&
    name.length <= MAX_NAME &&
    printable(name) === name &&
    !name.startsWith(".") &&
    !name.includes("/") &&
    !isUnportable(name)
  );
}
