import { type RefObject, useLayoutEffect, useState } from "react";

/** The rows to render, of a list in a page that scrolls as a whole. */
export interface VisibleRows {
  /** Index of the first row. */
  start: number;
  /** Index after the last row. */
  end: number;
  /** Height above the first row, in pixels. */
  before: number;
  /** Height below the last row, in pixels. */
  after: number;
  /** Height of a row, in pixels. */
  row: number;
}

/** Rows rendered above and below the window, so that scrolling shows no gaps. */
const OVERSCAN = 12;

/** Computes which of `count` rows of equal height, given in `rem`, are in or near the window. `list` starts with the first row. */
export function useVisibleRows(list: RefObject<HTMLElement | null>, count: number, rem: number): VisibleRows {
  const [place, setPlace] = useState({ scrolled: 0, height: 0, row: rem * 16 });

  useLayoutEffect(() => {
    const measure = () => {
      const row = rem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      const scrolled = -(list.current?.getBoundingClientRect().top ?? 0);
      // Rendered again only once other rows are needed.
      const step = Math.floor((OVERSCAN / 2) * row);
      const next = { scrolled: Math.floor(scrolled / step) * step, height: window.innerHeight, row };
      setPlace((known) =>
        known.scrolled === next.scrolled && known.height === next.height && known.row === row ? known : next,
      );
    };
    measure();
    window.addEventListener("scroll", measure, { passive: true });
    window.addEventListener("resize", measure);
    return () => {
      window.removeEventListener("scroll", measure);
      window.removeEventListener("resize", measure);
    };
  }, [list, rem]);

  const first = Math.floor(place.scrolled / place.row) - OVERSCAN;
  const start = Math.min(Math.max(first, 0), Math.max(count - 1, 0));
  const visible = Math.ceil(place.height / place.row) + 3 * OVERSCAN;
  const end = Math.min(start + visible, count);
  return { start, end, before: start * place.row, after: (count - end) * place.row, row: place.row };
}
