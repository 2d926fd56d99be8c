import { useEffect, useRef } from "react";
import type { FileFacts } from "./file-facts.ts";

/** Files below this size are opened without a click. */
const AUTO_OPENED_BYTES = 10_000_000;

/** Opens a small file that the page can show, once, on mount. */
export function useAutoOpen({ size, viewer }: FileFacts, open: () => void): void {
  const latest = useRef(open);
  latest.current = open;
  const isOpened = size < AUTO_OPENED_BYTES && viewer !== "none";
  useEffect(() => {
    if (isOpened) latest.current();
  }, [isOpened]);
}
