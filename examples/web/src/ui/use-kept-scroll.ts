import { useLayoutEffect } from "react";

/** Starts a screen at its top. If `isKept`, Back returns to the place that was scrolled to, from the entry in the history. */
export function useKeptScroll(isKept: boolean): void {
  useLayoutEffect(() => {
    if (!isKept) {
      // Returns a promise in some browsers, which is no clean-up.
      window.scrollTo(0, 0);
      return undefined;
    }
    history.scrollRestoration = "manual";
    const { scroll } = (history.state ?? {}) as { scroll?: number };
    window.scrollTo(0, scroll ?? 0);
    const keep = () => history.replaceState({ scroll: window.scrollY }, "");
    window.addEventListener("scrollend", keep);
    return () => {
      window.removeEventListener("scrollend", keep);
      history.scrollRestoration = "auto";
    };
  }, [isKept]);
}
