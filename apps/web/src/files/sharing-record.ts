import type { Journal } from "keeplight";
import { openSealedList, type SealedList } from "../shared/sealed-list.ts";

/** Whom the account shares a file with, as the key nodes said when it was last looked up. */
interface SharedFile {
  cid: string;
  sharedTo: readonly string[];
}

/** The oldest are dropped beyond this. */
const MAX_FILES = 5_000;

/** What this browser knows of whom an account shares its files with: the network does not list that. */
export interface SharingRecord extends Pick<SealedList<SharedFile>, "load" | "subscribe"> {
  /** Records whom a file is shared with now. */
  set(cid: string, sharedTo: readonly string[]): Promise<void>;
  /** Records that a file is shared with one more. */
  add(cid: string, address: string): Promise<void>;
}

/** Opens the record of the account with this journal. Nothing is stored before the first file is shared. */
export function openSharingRecord(journal: Journal | undefined): SharingRecord {
  const { load, change, subscribe } = openSealedList("sharing", journal?.place, readFiles);

  const update = (cid: string, toShared: (known: readonly string[]) => readonly string[]) =>
    change((files) => {
      const known = files.find((file) => file.cid === cid)?.sharedTo ?? [];
      const sharedTo = toShared(known);
      if (known.join() === sharedTo.join()) return files;
      const others = files.filter((file) => file.cid !== cid);
      return sharedTo.length === 0 ? others : [{ cid, sharedTo }, ...others].slice(0, MAX_FILES);
    });

  return {
    load,
    subscribe,
    set: (cid, sharedTo) => update(cid, () => sharedTo),
    add: (cid, address) =>
      update(cid, (known) => {
        const isSame = (other: string) => other.toLowerCase() === address.toLowerCase();
        return known.some(isSame) ? known : [...known, address];
      }),
  };
}

function readFiles(value: unknown): SharedFile[] {
  if (!Array.isArray(value) || !value.every(isFile)) throw new Error("The record of shared files is damaged");
  return value;
}

function isFile(value: unknown): value is SharedFile {
  const { cid, sharedTo } = (value ?? {}) as Record<string, unknown>;
  return typeof cid === "string" && Array.isArray(sharedTo) && sharedTo.every((address) => typeof address === "string");
}
