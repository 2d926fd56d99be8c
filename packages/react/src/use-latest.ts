import { useInsertionEffect, useRef } from "react";

/**
 * The value of the latest rendering, for calls made between two renderings. It is current before any layout effect
 * runs: neither a passive nor a layout effect would do, as the layout effects of children run before both, and a child
 * that reacts to another account would still use the previous one.
 */
export function useLatest<Value>(value: Value): { readonly current: Value } {
  const latest = useRef(value);
  useInsertionEffect(() => {
    latest.current = value;
  });
  return latest;
}
