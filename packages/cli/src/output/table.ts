import measure from "fast-string-truncated-width";
import { clean } from "./format.ts";

export interface Column {
  title: string;
  /** Whether it may be cut where the terminal is too narrow; content ids never are. Default `false`. */
  shrinks?: boolean;
  /** Whether it may be left out where that does not suffice. Default `false`. */
  optional?: boolean;
  /** Default `left`. */
  align?: "left" | "right";
}

const GAP = "  ";
const MIN_WIDTH = 8;

/**
 * Formats rows as a table. Where the terminal is too narrow for it, columns are cut or left out; if that does not suffice,
 * each row becomes several lines.
 *
 * @param width - of the terminal, in columns; `undefined` without one: nothing is cut
 */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width = Number.POSITIVE_INFINITY,
): string {
  const cells = rows.map((row) => row.map(clean));
  const natural = columns.map(({ title }, at) =>
    cells.reduce((max, row) => Math.max(max, measureWidth(row[at] ?? "")), measureWidth(title)),
  );
  const shown = chooseColumns(columns, natural, width);
  const widths = shown && shrink(shown, columns, natural, width);
  if (!shown || !widths) return cells.map((row) => formatRecord(columns, row)).join("\n\n");
  const format = (row: readonly string[]) =>
    shown
      .map((at, index) => pad(row[at] ?? "", widths[index] ?? 0, columns[at]?.align))
      .join(GAP)
      .trimEnd();
  return [format(columns.map(({ title }) => title)), ...cells.map(format)].join("\n");
}

/** Names with values. What is `undefined` or `false` is left out. */
export type Facts = readonly (readonly [name: string, value: string] | undefined | false)[];

/** Formats facts, one per line. */
export function formatFacts(facts: Facts): string {
  const shown = facts.filter((fact) => fact !== undefined && fact !== false);
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${clean(value)}`.trimEnd()).join("\n");
}

/** Returns the indexes of the columns to show: the last optional ones are left out first. `undefined` if none fit. */
function chooseColumns(columns: readonly Column[], natural: readonly number[], width: number): number[] | undefined {
  const narrowest = (at: number) => {
    const whole = natural[at] ?? 0;
    return columns[at]?.shrinks ? Math.min(whole, MIN_WIDTH) : whole;
  };
  let shown = columns.map((_, at) => at);
  while (addUp(shown.map(narrowest)) > width) {
    const last = shown.findLast((at) => columns[at]?.optional);
    if (last === undefined) return undefined;
    shown = shown.filter((at) => at !== last);
  }
  return shown;
}

function shrink(
  shown: readonly number[],
  columns: readonly Column[],
  natural: readonly number[],
  width: number,
): number[] {
  const widths = shown.map((at) => natural[at] ?? 0);
  let excess = addUp(widths) - width;
  return widths.map((each, index) => {
    if (excess <= 0 || !columns[shown[index] ?? 0]?.shrinks) return each;
    const cut = Math.min(excess, Math.max(each - MIN_WIDTH, 0));
    excess -= cut;
    return each - cut;
  });
}

function addUp(widths: readonly number[]): number {
  return widths.reduce((sum, each) => sum + each, GAP.length * (widths.length - 1));
}

function formatRecord(columns: readonly Column[], row: readonly string[]): string {
  return formatFacts(columns.map(({ title }, at) => !!row[at] && [title, row[at]]));
}

function pad(text: string, width: number, align: Column["align"]): string {
  const result = measure(text, { limit: width, ellipsis: "…" });
  const shown = result.truncated ? `${text.slice(0, result.index)}${result.ellipsed ? "…" : ""}` : text;
  const space = " ".repeat(Math.max(width - measureWidth(shown), 0));
  return align === "right" ? space + shown : shown + space;
}

function measureWidth(text: string): number {
  return measure(text).width;
}
