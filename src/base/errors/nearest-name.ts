/** Longer names are not compared: no option is that long, and comparing takes quadratic time. */
const MAX_LENGTH = 64;

/**
 * Finds the known name that a misspelt one most likely stands for.
 *
 * @returns `undefined` if none is close: more than a third of the letters differ and neither starts with the other.
 * Case, `_` and `-` do not count.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const typed = normalize(name);
  if (typed === "" || typed.length > MAX_LENGTH) return undefined;
  const [nearest] = known
    .map((candidate) => ({ candidate, edits: editDistance(typed, normalize(candidate)) }))
    .filter(({ candidate, edits }) => isClose(typed, normalize(candidate), edits))
    .sort((a, b) => a.edits - b.edits);
  return nearest?.candidate;
}

function normalize(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, "");
}

function isClose(typed: string, name: string, edits: number): boolean {
  const [short, long] = typed.length < name.length ? [typed, name] : [name, typed];
  if (short.length >= 3 && long.startsWith(short)) return true;
  return edits <= Math.max(1, Math.floor(short.length / 3));
}

/** Counts the insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const differs = a[row - 1] === b[column - 1] ? 0 : 1;
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        at(current, column - 1) + 1,
        at(last, column) + 1,
        at(last, column - 1) + differs,
        swapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
