import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Row } from "../drive/rows.ts";
import { readListPlace, setListPlace } from "./list-place.ts";
import { getRowKey } from "./row-key.ts";

/** Between a row that has the focus and the bar above it, in pixels. */
const CLEARANCE = 4;

/** Which row the keyboard is at. */
export interface RowFocus {
  /** The body of the table. */
  body: RefObject<HTMLTableSectionElement | null>;
  /** Index of the one row that Tab reaches. */
  index: number;
  /** The row that has, or last had, the focus, if it is shown. */
  row: Row | undefined;
  /** Indexes of rows by their keys. */
  indexes: ReadonlyMap<string, number>;
  /** Moves the focus to a row, and scrolls it into view. */
  moveTo(index: number): void;
  /** Whether the focus is in the list. */
  isInside(): boolean;
}

/**
 * A roving focus: one row of the list is in the order of Tab. A row that disappears passes the focus to the one that takes its
 * place. The place in each folder is remembered, and has the focus again if it had when the folder was left.
 *
 * @param rows - in the order in which they are shown
 * @param folder - path of the folder
 */
export function useRowFocus(rows: readonly Row[], folder: string): RowFocus {
  const body = useRef<HTMLTableSectionElement>(null);
  const [key, setKey] = useState(() => readListPlace(folder)?.key);
  const hasFocus = useRef(false);
  const previous = useRef(0);
  const isWanted = useRef(false);
  const indexes = useMemo(() => new Map(rows.map((row, at) => [getRowKey(row), at])), [rows]);
  const found = key === undefined ? undefined : indexes.get(key);
  const index = found ?? Math.max(0, Math.min(previous.current, rows.length - 1));
  const latest = useRef({ rows, index });

  const focus = useCallback((at: number) => {
    const row = body.current?.querySelector<HTMLElement>(`tr[aria-rowindex="${at + 2}"]`);
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
    // The bar of the selection is above it, as high as its window is narrow.
    const bar = document.querySelector(".selection-bar")?.getBoundingClientRect();
    const covered = bar && row ? bar.bottom + CLEARANCE - row.getBoundingClientRect().top : 0;
    if (covered > 0) window.scrollBy(0, -covered);
    return row !== undefined && row !== null;
  }, []);
  const moveTo = useCallback(
    (at: number) => {
      const row = latest.current.rows[at];
      if (!row || focus(at)) return;
      // Far from the window: it is rendered first.
      isWanted.current = true;
      setKey(getRowKey(row));
    },
    [focus],
  );

  useLayoutEffect(() => {
    latest.current = { rows, index };
    previous.current = index;
    const isLost = hasFocus.current && document.activeElement === document.body;
    if ((isWanted.current || isLost) && rows.length > 0) focus(index);
    isWanted.current = false;
  });
  // After the screen's heading has received the focus, and once there are rows.
  const isStarted = useRef(false);
  const isEmpty = rows.length === 0;
  useEffect(() => {
    if (isEmpty || isStarted.current) return;
    isStarted.current = true;
    const isFree = !document.activeElement?.matches("a, button, input, select, textarea");
    if (readListPlace(folder)?.isFocused && isFree) focus(latest.current.index);
  }, [folder, isEmpty, focus]);

  // Not by React, which misses the focus that a dialog returns as it is removed.
  useEffect(() => {
    const onFocus = ({ target }: FocusEvent) => {
      if (!(target instanceof Element) || !body.current?.contains(target)) return;
      const at = Number(target.closest("tr")?.getAttribute("aria-rowindex")) - 2;
      const row = latest.current.rows[at];
      if (!row) return;
      hasFocus.current = true;
      setKey(getRowKey(row));
      setListPlace(folder, { key: getRowKey(row), isFocused: true });
    };
    const onBlur = ({ target, relatedTarget }: FocusEvent) => {
      const list = body.current;
      if (!(target instanceof Element) || !list?.contains(target) || list.contains(relatedTarget as Node | null))
        return;
      queueMicrotask(() => {
        // Otherwise its row was removed: the person has not left the list.
        if (!target.isConnected) return;
        hasFocus.current = false;
        const place = readListPlace(folder);
        if (place) setListPlace(folder, { ...place, isFocused: false });
      });
    };
    document.addEventListener("focusin", onFocus);
    document.addEventListener("focusout", onBlur);
    return () => {
      document.removeEventListener("focusin", onFocus);
      document.removeEventListener("focusout", onBlur);
    };
  }, [folder]);
  const isInside = useCallback(() => body.current?.contains(document.activeElement) === true, []);
  return { body, index, row: found === undefined ? undefined : rows[found], indexes, moveTo, isInside };
}
