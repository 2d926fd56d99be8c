/** Where the keyboard was in the list of a folder. */
export interface ListPlace {
  /** Key of the row; see `getRowKey`. `undefined` for the first one. */
  key: string | undefined;
  /** Whether the list had the focus when it was left, or receives it when it is shown. */
  isFocused: boolean;
}

const places = new Map<string, ListPlace>();

/** Returns the place in a folder's list, as long as the page is loaded. */
export function readListPlace(folder: string): ListPlace | undefined {
  return places.get(folder);
}

/** @param folder - path of the folder; empty at the top */
export function setListPlace(folder: string, place: ListPlace): void {
  places.set(folder, place);
}
