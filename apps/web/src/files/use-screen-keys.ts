import { useEffect, useEffectEvent } from "react";
import { isCovered } from "../ui/is-covered.ts";

/** What the keys of the files screen do. Each returns whether there was something to do; if not, the browser has the key. */
export interface ScreenKeys {
  selectAll(): boolean;
  clear(): boolean;
  goUp(): boolean;
  rename(): boolean;
  remove(): boolean;
  undo(): boolean;
  showKeys(): boolean;
}

/** Keys that write, choose or move in a field belong to it; a checkbox has none but Space. */
const FIELD = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";

/** What the keys change is not meant where the focus is in the uploads or the navigation. */
const CHANGES: readonly (keyof ScreenKeys)[] = ["selectAll", "clear", "rename", "remove"];

/** Listens for keys anywhere on the screen, except in a field or while a dialog is open. */
export function useScreenKeys(keys: ScreenKeys): void {
  const run = useEffectEvent((event: KeyboardEvent) => {
    const action = findAction(event);
    const isElsewhere = event.target !== document.body && !(event.target as Element).closest("main");
    if (action && isElsewhere && CHANGES.includes(action)) return;
    // A key that is held is one action.
    if (action && (event.repeat || keys[action]())) event.preventDefault();
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isField = event.target instanceof Element && event.target.closest(FIELD) !== null;
      if (!event.defaultPrevented && !event.isComposing && !isField && !isCovered()) run(event);
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
}

const plain: Record<string, keyof ScreenKeys> = {
  Escape: "clear",
  Backspace: "goUp",
  F2: "rename",
  Delete: "remove",
  "?": "showKeys",
};

function findAction({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): keyof ScreenKeys | undefined {
  if (altKey) return key === "ArrowUp" && !ctrlKey && !metaKey ? "goUp" : undefined;
  if (!ctrlKey && !metaKey) return shiftKey && key !== "?" ? undefined : plain[key];
  if (shiftKey) return undefined;
  return key.toLowerCase() === "a" ? "selectAll" : key.toLowerCase() === "z" ? "undo" : undefined;
}
