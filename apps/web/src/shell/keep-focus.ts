/**
 * Keeps the place of the keyboard. When the element that has the focus is removed, what is left around it receives the
 * focus, and not the whole page; one that is disabled while its action runs has it again afterwards. Returns what ends
 * that.
 */
export function keepFocus(root: HTMLElement): () => void {
  /** What has the focus, and what is around it, from inside out. */
  let path: HTMLElement[] = [];
  const onFocus = ({ target }: FocusEvent) => {
    path = [];
    for (let at = target as HTMLElement | null; at && at !== root; at = at.parentElement) path.push(at);
  };
  const onBlur = ({ target }: FocusEvent) => {
    const left = target as HTMLElement;
    // By then it is removed, if that is why. Otherwise the person has left it.
    queueMicrotask(() => {
      if (left === path[0] && left.isConnected && !left.matches(":disabled")) path = [];
    });
  };
  const check = () => {
    if (document.activeElement !== document.body) return;
    const next = path.find((element) => element.isConnected);
    if (!next || next.matches(":disabled")) return;
    if (next.tabIndex < 0) next.tabIndex = -1;
    next.focus({ preventScroll: true });
  };
  const observer = new MutationObserver(check);
  observer.observe(root, { childList: true, subtree: true, attributeFilter: ["disabled"] });
  root.addEventListener("focusin", onFocus);
  root.addEventListener("focusout", onBlur);
  return () => {
    observer.disconnect();
    root.removeEventListener("focusin", onFocus);
    root.removeEventListener("focusout", onBlur);
  };
}
