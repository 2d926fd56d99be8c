import { type MouseEvent, useLayoutEffect, useState } from "react";
import type { Messages } from "../messages/en.ts";
import { useMessages } from "../messages/language.ts";

/** Where a person was before the current screen; undefined after loading the page. */
let previous: string | undefined;

window.addEventListener("hashchange", ({ oldURL }) => {
  // Empty if the URL was only replaced.
  if (oldURL !== "") previous = new URL(oldURL).hash;
});

/** The way back from a screen. */
export interface Origin {
  href: string;
  label: string;
  /** Goes back in the history, where the screen keeps its place. */
  onClick(event: MouseEvent): void;
}

const labels: readonly (readonly [pattern: RegExp, getLabel: (messages: Messages) => string])[] = [
  [/^#\/shared/, ({ shell }) => shell.shared],
  [/^#\/trash/, ({ drive }) => drive.trash],
  [/^#\/request\//, ({ requests }) => requests.linkTitle],
  [/^#\/storage/, ({ shell }) => shell.storage],
  [/^#\/names/, ({ shell }) => shell.names],
  [/^#\/folder\//, ({ file }) => file.folder],
  [/^#\/file\//, ({ file }) => file.back],
];

/**
 * Returns the way back to where the person came from, which the entry in the history keeps; by default to the screen that lists
 * such files.
 */
export function useOrigin(isOthers: boolean | undefined): Origin {
  const messages = useMessages();
  const [from] = useState(() => {
    const state = history.state as { from?: string } | null;
    return state && "from" in state ? state.from : previous;
  });
  useLayoutEffect(() => {
    history.replaceState({ ...history.state, from }, "");
  }, [from]);
  const onClick = (event: MouseEvent) => {
    if (from === undefined || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    history.back();
  };
  const back = from ?? (isOthers ? "#/shared" : "");
  const label = labels.find(([pattern]) => pattern.test(back))?.[1](messages) ?? messages.shell.files;
  return { href: back || "#/files", label, onClick };
}
