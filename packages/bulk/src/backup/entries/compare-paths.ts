/**
 * Compares two paths in the order in which folders are walked: by names, each folder directly before everything in it.
 *
 * @returns a negative number if `a` is before `b`, 0 if they are identical
 */
export function comparePaths(a: string, b: string): number {
  if (a === b) return 0;
  return toKey(a) < toKey(b) ? -1 : 1;
}

/** No name has a NUL, which is less than anything else. */
function toKey(path: string): string {
  return path.replaceAll("/", "\0");
}

/** Whether a path is below a folder. */
export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}
