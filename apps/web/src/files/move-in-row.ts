/**
 * Moves the focus between a row and its controls: to the right through them, to the left back to the row, where Escape
 * leads at once. Returns whether the key does that.
 */
export function moveInRow(key: string, row: HTMLElement): boolean {
  const controls = Array.from(row.querySelectorAll<HTMLElement>("a[href], button:enabled, input:enabled"));
  const places = [row, ...controls.filter((each) => each.checkVisibility())];
  const at = places.indexOf(document.activeElement as HTMLElement);
  if (key === "ArrowRight") places[at + 1]?.focus();
  else if (key === "ArrowLeft") places[Math.max(0, at - 1)]?.focus();
  else if (key === "Escape" && at > 0) row.focus();
  else return false;
  return true;
}
