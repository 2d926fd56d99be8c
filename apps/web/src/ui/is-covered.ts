/** Whether a dialog is open over the page. */
export function isCovered(): boolean {
  return document.querySelector("dialog[open]") !== null;
}
