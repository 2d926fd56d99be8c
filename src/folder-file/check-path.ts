/** Longest path in a folder, in characters. */
const MAX_PATH = 4_096;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to be found
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Returns what is wrong with a path in a folder, names separated by `/`; `undefined` for one that is valid. */
export function findPathProblem(path: unknown): string | undefined {
  if (typeof path !== "string" || path === "") return "a path is empty";
  if (path.length > MAX_PATH) return `a path is longer than ${MAX_PATH} characters`;
  if (CONTROL.test(path)) return "a path has control characters";
  const names = path.split("/");
  if (names.some((name) => name === "" || name === "." || name === "..")) {
    return "a path is absolute, or has an empty, '.' or '..' part";
  }
  return undefined;
}

/** Returns what is wrong with the name of a folder; `undefined` for a valid one. */
export function findNameProblem(name: unknown): string | undefined {
  const problem = findPathProblem(name);
  return problem ?? (String(name).includes("/") ? "its name has a slash" : undefined);
}

/** Returns the first path that is there twice, or that is a file and a folder; `undefined` if there is none. */
export function findPathTwice(paths: readonly string[]): string | undefined {
  const files = new Set<string>();
  for (const path of paths) {
    if (files.has(path)) return path;
    files.add(path);
  }
  for (const path of paths) {
    for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
      const parent = path.slice(0, at);
      if (files.has(parent)) return parent;
    }
  }
  return undefined;
}
