import { type KeyboardEvent, useState } from "react";
import type { Row } from "../drive/rows.ts";
import { moveInRow } from "./move-in-row.ts";
import { createTypeAhead } from "./type-ahead.ts";
import type { ListOfRows, ListRange } from "./use-list-range.ts";

/** What stays in sight of the page before, in pixels: the bar above the list, and a row. */
const PAGE_OVERLAP = 120;

/** How far a key moves from a row, as an index; beyond the ends is the end. */
const moves: Record<string, (from: number, page: number, count: number) => number> = {
  ArrowDown: (from) => from + 1,
  ArrowUp: (from) => from - 1,
  PageDown: (from, page) => from + page,
  PageUp: (from, page) => from - page,
  Home: () => 0,
  End: (_from, _page, count) => count - 1,
};

/**
 * The keys of a list whose rows can be selected: they move, select, open, and find a name by its first letters. Those of the
 * whole screen are `useScreenKeys`. Returns the listener of the list's body.
 */
export function useListKeys(
  { rows, focus }: ListOfRows,
  range: ListRange,
  onOpen: (row: Row) => void,
): (event: KeyboardEvent) => void {
  const [typeAhead] = useState(createTypeAhead);

  function move(event: KeyboardEvent, row: HTMLElement): boolean {
    const getTarget = moves[event.key];
    if (!getTarget) return false;
    const page = Math.max(1, Math.floor((window.innerHeight - PAGE_OVERLAP) / row.offsetHeight));
    const to = Math.max(0, Math.min(getTarget(focus.index, page, rows.length), rows.length - 1));
    if (event.shiftKey) range.extend(to);
    else range.start();
    focus.moveTo(to);
    return true;
  }
  function type(letter: string): void {
    const getName = (at: number) => rows[at]?.fileName ?? rows[at]?.cid ?? "";
    const at = typeAhead.type(letter, Date.now(), { count: rows.length, current: focus.index, getName });
    if (at >= 0) focus.moveTo(at);
  }
  /** Returns whether the key is one of the list's. */
  function handle(event: KeyboardEvent, row: HTMLElement): boolean {
    const { key, target } = event;
    const current = rows[focus.index];
    if (!current || move(event, row) || moveInRow(key, row)) return current !== undefined;
    const isLetter = key.length === 1 && (key !== " " || typeAhead.isTyping(Date.now()));
    // The controls of a row have these two keys themselves.
    if (target !== row && (key === "Enter" || key === " ")) return false;
    if (key === "Enter") onOpen(current);
    else if (isLetter && key !== "?") type(key);
    else if (key === " ") range.toggle(current);
    else return false;
    return true;
  }

  return (event) => {
    const row = (event.target as HTMLElement).closest<HTMLElement>("tr[aria-rowindex]");
    const isOther = event.ctrlKey || event.metaKey || event.altKey || event.nativeEvent.isComposing;
    if (row && !isOther && handle(event, row)) event.preventDefault();
  };
}
