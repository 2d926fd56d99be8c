import type { Journal } from "keeplight";
import { openSealedList, type SealedList } from "./sealed-list.ts";
import { readItems, type SharedItem } from "./shared-item.ts";

/** The oldest are dropped beyond this. */
const MAX_ITEMS = 1_000;
const MAX_NAME = 255;

/** The files that were shared with one account. */
export interface SharedList extends Pick<SealedList<SharedItem>, "load" | "subscribe"> {
  /** Adds a file, unless it is there. */
  add(item: SharedItem): Promise<void>;
  remove(cid: string): Promise<void>;
}

/** Opens the list of the account with this journal. Nothing is stored before the first file is added. */
export function openSharedList(journal: Journal | undefined): SharedList {
  const { load, change, subscribe } = openSealedList("shared", journal?.place, readItems);
  return {
    load,
    subscribe,
    add: (item) =>
      change((items) => {
        if (items.some(({ cid }) => cid === item.cid)) return items;
        return [{ ...item, name: item.name.slice(0, MAX_NAME) }, ...items].slice(0, MAX_ITEMS);
      }),
    remove: (cid) => change((items) => items.filter((item) => item.cid !== cid)),
  };
}
