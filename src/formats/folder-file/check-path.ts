import { isDisguised, isEscape } from "../../base/validation/file-name.ts";

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
  if (CONTROL.test(path)) return "a path has control characters";
  if (/\p{Surrogate}/u.test(path)) return "a path is not well-formed Unicode";
  const names = path.split("/");
  if (names.length > MAX_DEPTH) return `a path has more than ${MAX_DEPTH} names`;
  if (names.includes("") || isEscape(path)) return "a path is absolute, or has an empty, '.' or '..' part";
  if (isDisguised(path)) return "a path has marks that turn the direction of text";
  return undefined;
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
