import type { VisibleRows } from "./use-visible-rows.ts";

/** A row to render, by its index, or the space of rows that are not, in pixels. */
export type ListPart = { index: number } | { name: string; height: number };

/**
 * Returns the rows to render in their order, with the spaces between them. Those that stay keep their order, so that React
 * moves no element, which would lose the focus.
 *
 * @param kept - index of a row that is rendered even if it is far from the window
 */
export function listParts({ start, end, before, after, row }: VisibleRows, kept: number): ListPart[] {
  const rows = Array.from({ length: end - start }, (_, at) => ({ index: start + at }));
  if (kept < start) {
    const above = { name: "before", height: kept * row };
    const gap = { name: "gap", height: before - (kept + 1) * row };
    return [above, { index: kept }, gap, ...rows, { name: "after", height: after }];
  }
  if (kept >= end) {
    const gap = { name: "gap", height: (kept - end) * row };
    const below = { name: "after", height: after - gap.height - row };
    return [{ name: "before", height: before }, ...rows, gap, { index: kept }, below];
  }
  return [{ name: "before", height: before }, ...rows, { name: "after", height: after }];
}
