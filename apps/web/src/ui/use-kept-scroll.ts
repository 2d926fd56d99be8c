import { useLayoutEffect, useRef } from "react";

/**
 * Starts a screen at its top. If `isKept`, Back returns to the place that was scrolled to, from the entry in the history:
 * once that is so, if the content has to be loaded first.
 */
export function useKeptScroll(isKept: boolean): void {
  const isStarted = useRef(false);
  useLayoutEffect(() => {
    if (!isKept) {
      // Returns a promise in some browsers, which is no clean-up.
      window.scrollTo(0, 0);
      isStarted.current = true;
      return undefined;
    }
    history.scrollRestoration = "manual";
    const { scroll } = (history.state ?? {}) as { scroll?: number };
    if (scroll !== undefined || !isStarted.current) window.scrollTo(0, scroll ?? 0);
    isStarted.current = true;
    const keep = () => history.replaceState({ ...history.state, scroll: window.scrollY }, "");
    window.addEventListener("scrollend", keep);
    return () => {
      window.removeEventListener("scrollend", keep);
      history.scrollRestoration = "auto";
    };
  }, [isKept]);
}
