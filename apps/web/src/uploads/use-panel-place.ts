import { type RefObject, useLayoutEffect, useState } from "react";
import { useMedia } from "../ui/use-media.ts";

/** Windows that are wide enough for a panel over the content. */
const WIDE = "(min-width: 64rem)";
/** What the panel must not cover, of the screen. */
const CLEAR = "main :is(form, input, select, textarea)";
const BAR = "main .selection-bar";
/** Below this height the panel shows less than its head and a row, in pixels. */
const MIN_HEIGHT = 190;
/** Between the panel and what is above it, in pixels. */
const GAP = 16;

/** Where the tray is: over the content at the bottom right, as high as `maxHeight` (in pixels); otherwise in the rail. */
export type PanelPlace = { isOver: false } | { isOver: true; maxHeight: number };

/**
 * Finds a place for the panel where it covers no field and no selection bar, regardless of how far the page is scrolled:
 * it stays where it is while its user scrolls. What has no room beside fields, such as on screens with long forms, is in
 * the rail. Sets `--tray-height`, so that the end of the page can be scrolled above the panel.
 *
 * @param panel - once it is rendered
 */
export function usePanelPlace(panel: RefObject<HTMLElement | null>, isShown: boolean): PanelPlace {
  const isWide = useMedia(WIDE);
  const [room, setRoom] = useState(0);
  const isOver = isWide && isShown && room >= MIN_HEIGHT;

  useLayoutEffect(() => {
    const main = document.querySelector("main");
    if (!isWide || !isShown || !main) return;
    let frame = 0;
    const measure = () => {
      frame = 0;
      setRoom(measureRoom());
    };
    const schedule = () => {
      frame ||= requestAnimationFrame(measure);
    };
    measure();
    const changes = new MutationObserver(schedule);
    changes.observe(main, { childList: true, subtree: true });
    const sizes = new ResizeObserver(schedule);
    sizes.observe(main);
    window.addEventListener("resize", schedule);
    return () => {
      cancelAnimationFrame(frame);
      changes.disconnect();
      sizes.disconnect();
      window.removeEventListener("resize", schedule);
    };
  }, [isWide, isShown]);

  useLayoutEffect(() => {
    const element = panel.current;
    if (!isOver || !element) return;
    const { style } = document.documentElement;
    const sizes = new ResizeObserver(() => style.setProperty("--tray-height", `${element.offsetHeight}px`));
    sizes.observe(element);
    return () => {
      sizes.disconnect();
      style.removeProperty("--tray-height");
    };
  }, [isOver, panel]);

  return isOver ? { isOver, maxHeight: room } : { isOver: false };
}

/** Returns how high a panel at the bottom right may be, in pixels. */
function measureRoom(): number {
  const style = getComputedStyle(document.documentElement);
  const width = Number.parseFloat(style.getPropertyValue("--tray-width")) * Number.parseFloat(style.fontSize);
  const right = document.documentElement.clientWidth - GAP;
  const isBeside = (box: DOMRect) => box.right <= right - width - GAP || box.left >= right;
  let lowest = 0;
  for (const element of document.querySelectorAll(CLEAR)) {
    // A dialog is above the panel.
    if (element.closest("dialog")) continue;
    // Of a radio button that is drawn by its label.
    const box = (element.closest("label") ?? element).getBoundingClientRect();
    if (box.height > 0 && !isBeside(box)) lowest = Math.max(lowest, box.bottom + window.scrollY);
  }
  for (const bar of document.querySelectorAll<HTMLElement>(BAR)) {
    // It sticks to the top of the window once the page is scrolled; it is never below its own place.
    const top = bar.previousElementSibling?.getBoundingClientRect().bottom ?? 0;
    lowest = Math.max(lowest, top + window.scrollY + bar.offsetHeight);
  }
  return window.innerHeight - lowest - 2 * GAP;
}
