import type { MouseEvent } from "react";
import type { ListOfRows, ListRange } from "./use-list-range.ts";

/** Links and buttons of a row have their clicks themselves. */
const CONTROLS = "a, button, input";

/**
 * Clicks as in a file manager: Ctrl or ⌘ selects one more row, Shift all rows from the last one that was selected. At a
 * checkbox, Shift gives all of them its state. Returns the listeners of the list's body.
 */
export function useListClicks({ rows, focus }: ListOfRows, range: ListRange) {
  return {
    onMouseDown(event: MouseEvent): void {
      // Otherwise the browser selects the text between them.
      if (event.shiftKey) event.preventDefault();
    },
    onClick(event: MouseEvent): void {
      const target = event.target as HTMLElement;
      const index = Number(target.closest("tr")?.getAttribute("aria-rowindex")) - 2;
      const row = rows[index];
      if (!row) return;
      if (target instanceof HTMLInputElement) {
        if (event.shiftKey) range.fill(index, target.checked);
        else range.start(row);
      } else if (!target.closest(CONTROLS)) {
        const isMore = event.ctrlKey || event.metaKey;
        if (event.shiftKey) range.extend(index);
        else if (isMore) range.toggle(row);
        else range.start(row);
        if (event.shiftKey || isMore) focus.moveTo(index);
      }
    },
  };
}
