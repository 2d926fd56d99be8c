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
  const sized = columns.map((column, at) => ({
    ...column,
    at,
    width: cells.reduce((max, row) => Math.max(max, measureWidth(row[at] ?? "")), measureWidth(column.title)),
  }));
  const shown = fitColumns(sized, width);
  if (!shown) return cells.map((row) => formatRecord(columns, row)).join("\n\n");
  const format = (row: readonly string[]) =>
    shown
      .map((column) => pad(row[column.at] ?? "", column))
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

interface SizedColumn extends Column {
  /** Its index. */
  at: number;
  width: number;
}

/** Cuts columns until they fit, or else leaves out the last optional ones, too; `undefined` if they cannot fit. */
function fitColumns(columns: readonly SizedColumn[], width: number): SizedColumn[] | undefined {
  let excess = columns.reduce((sum, column) => sum + column.width, GAP.length * (columns.length - 1)) - width;
  const cut = columns.map((column) => {
    const most = column.shrinks ? Math.max(column.width - MIN_WIDTH, 0) : 0;
    const less = Math.min(most, Math.max(excess, 0));
    excess -= less;
    return { ...column, width: column.width - less };
  });
  if (excess <= 0) return cut;
  const last = columns.findLast(({ optional }) => optional);
  return (
    last &&
    fitColumns(
      columns.filter((column) => column !== last),
      width,
    )
  );
}

function formatRecord(columns: readonly Column[], row: readonly string[]): string {
  return formatFacts(columns.map(({ title }, at) => !!row[at] && [title, row[at]]));
}

function pad(text: string, { width, align }: SizedColumn): string {
  const result = measure(text, { limit: width, ellipsis: "…" });
  const shown = result.truncated ? `${text.slice(0, result.index)}${result.ellipsed ? "…" : ""}` : text;
  const space = " ".repeat(Math.max(width - measureWidth(shown), 0));
  return align === "right" ? space + shown : shown + space;
}

function measureWidth(text: string): number {
  return measure(text).width;
}
