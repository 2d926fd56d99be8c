import { chooseLater, mergeMaps } from "../registers.ts";
import type { ContactsState } from "../state.ts";

/** Most contacts of a drive, removed ones included. */
export const MAX_CONTACTS = 10_000;

const none: ContactsState = new Map();

/**
 * Merges the contacts of two states. Devices that were apart may have more than {@link MAX_CONTACTS} between them: those that
 * were changed last stay. What is dropped is older than all of these, so every device keeps the same ones, in whichever order
 * states are merged. Returns `one` itself if `other` has nothing that is new to it.
 */
export function mergeContacts(
  one: ContactsState | undefined,
  other: ContactsState | undefined,
): ContactsState | undefined {
  const merged = mergeMaps(one ?? none, other ?? none, (known, item) => chooseLater(known, item) ?? item);
  if (merged === (one ?? none)) return one;
  if (merged.size <= MAX_CONTACTS) return merged;
  const latestFirst = [...merged].sort(([address, [, stamp]], [otherAddress, [, otherStamp]]) =>
    stamp + address < otherStamp + otherAddress ? 1 : -1,
  );
  const latest = latestFirst.slice(0, MAX_CONTACTS);
  return latest.every(([address, item]) => one?.get(address) === item) ? one : new Map(latest);
}
