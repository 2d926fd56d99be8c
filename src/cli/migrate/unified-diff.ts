const CONTEXT = 3;

/** A line of both texts (` `), of the old one (`-`) or of the new one (`+`). */
interface Line {
  sign: " " | "-" | "+";
  text: string;
}

/** Formats the difference of two texts as a patch; empty if there is none. */
export function formatDiff(path: string, before: string, after: string): string {
  if (before === after) return "";
  const lines = compare(splitLines(before), splitLines(after));
  const hunks = findHunks(lines).map(([start, end]) => formatHunk(lines, start, end));
  return [`--- a/${path}`, `+++ b/${path}`, ...hunks].join("\n");
}

/** Splits a text; a last line without a line break keeps a mark of it. */
function splitLines(text: string): string[] {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  return last === "" ? lines : [...lines, `${last}\n\\ No newline at end of file`];
}

/** Compares two lists of lines: E. W. Myers, "An O(ND) difference algorithm", 1986, in its greedy form. */
function compare(a: readonly string[], b: readonly string[]): Line[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const same = (lines: readonly string[]): Line[] => lines.map((text) => ({ sign: " ", text }));
  const middle = findPath(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return [...same(a.slice(0, start)), ...middle, ...same(a.slice(a.length - end))];
}

function findPath(a: readonly string[], b: readonly string[]): Line[] {
  const trace: Map<number, number>[] = [];
  let furthest = new Map([[1, 0]]);
  for (let steps = 0; ; steps++) {
    trace.push(new Map(furthest));
    const next = new Map(furthest);
    for (let k = -steps; k <= steps; k += 2) {
      let x = goesDown(furthest, k, steps) ? (furthest.get(k + 1) ?? 0) : (furthest.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      next.set(k, x);
      if (x >= a.length && x - k >= b.length) return walkBack(trace, a, b);
    }
    furthest = next;
  }
}

function goesDown(furthest: ReadonlyMap<number, number>, k: number, steps: number): boolean {
  return k === -steps || (k !== steps && (furthest.get(k - 1) ?? 0) < (furthest.get(k + 1) ?? 0));
}

function walkBack(trace: readonly ReadonlyMap<number, number>[], a: readonly string[], b: readonly string[]): Line[] {
  const lines: Line[] = [];
  let x = a.length;
  let y = b.length;
  for (let steps = trace.length - 1; steps >= 0; steps--) {
    const furthest = trace[steps] ?? new Map<number, number>();
    const k = x - y;
    const previous = goesDown(furthest, k, steps) ? k + 1 : k - 1;
    const fromX = furthest.get(previous) ?? 0;
    const fromY = fromX - previous;
    for (; x > Math.max(fromX, 0) && y > Math.max(fromY, 0); x--, y--) lines.push({ sign: " ", text: a[x - 1] ?? "" });
    if (steps === 0) break;
    if (x === fromX) lines.push({ sign: "+", text: b[--y] ?? "" });
    else lines.push({ sign: "-", text: a[--x] ?? "" });
  }
  return lines.reverse();
}

/** Groups changes with the lines around them. */
function findHunks(lines: readonly Line[]): [start: number, end: number][] {
  const hunks: [number, number][] = [];
  for (const [at, { sign }] of lines.entries()) {
    if (sign === " ") continue;
    const last = hunks.at(-1);
    const start = Math.max(at - CONTEXT, 0);
    const end = Math.min(at + CONTEXT + 1, lines.length);
    if (last && start <= last[1]) last[1] = end;
    else hunks.push([start, end]);
  }
  return hunks;
}

function formatHunk(lines: readonly Line[], start: number, end: number): string {
  const count = (some: readonly Line[], sign: string) => some.filter((line) => line.sign !== sign).length;
  const before = lines.slice(0, start);
  const shown = lines.slice(start, end);
  const range = (other: string) => {
    const length = count(shown, other);
    return `${count(before, other) + (length > 0 ? 1 : 0)},${length}`;
  };
  return [`@@ -${range("+")} +${range("-")} @@`, ...shown.map(({ sign, text }) => sign + text)].join("\n");
}
