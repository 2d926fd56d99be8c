import { useRef } from "react";
import type { Row } from "../drive/rows.ts";
import { getRowKey } from "./row-key.ts";
import type { RowFocus } from "./use-row-focus.ts";

/** What a list selects by. */
export interface ListOfRows {
  /** In the order in which they are shown. */
  rows: readonly Row[];
  focus: RowFocus;
  selected: ReadonlySet<string>;
  onSelect: (ids: readonly string[], isSelected: boolean) => void;
}

/**
 * Selecting rows from one to another. The row that Shift selects from is the last that was selected without it, or the one that
 * has the focus if none is selected any more.
 */
export interface ListRange {
  /** Selects the rows up to this one, instead of those up to the one that has the focus. */
  extend(to: number): void;
  /** Selects the rows up to this one, or none of them. */
  fill(to: number, isSelected: boolean): void;
  toggle(row: Row): void;
  /** The next range starts at this row, by default the one that has the focus by then. */
  start(row?: Row): void;
}

export function useListRange({ rows, focus, selected, onSelect }: ListOfRows): ListRange {
  /** Key of the row that Shift selects from. */
  const anchor = useRef<string>(undefined);

  function start(row?: Row): void {
    anchor.current = row && getRowKey(row);
  }
  function getStart(): number {
    const { index, indexes } = focus;
    if (selected.size === 0 || anchor.current === undefined) start(rows[index]);
    return indexes.get(anchor.current ?? "") ?? index;
  }
  function listIds(one: number, other: number): string[] {
    return rows.slice(Math.min(one, other), Math.max(one, other) + 1).flatMap(({ id }) => id || []);
  }

  return {
    start,
    extend(to) {
      const from = getStart();
      const next = listIds(from, to);
      const kept = new Set(next);
      onSelect(
        listIds(from, focus.index).filter((id) => !kept.has(id)),
        false,
      );
      onSelect(next, true);
    },
    fill: (to, isSelected) => onSelect(listIds(getStart(), to), isSelected),
    toggle(row) {
      start(row);
      if (row.id !== "") onSelect([row.id], !selected.has(row.id));
    },
  };
}
