import type { JournalStore } from "../../platform/types.ts";
import { sealKey, unsealKey } from "./sealed-key.ts";
import type { SlotOpener, SlotWrapper } from "./slot.ts";

/** Wraps by a key that this machine keeps: a file that only this user may read, or a page's non-extractable key. */
export function wrapByMachine(store: JournalStore): SlotWrapper {
  return { kind: "machine", wrap: async (subject, key) => sealKey(await store.machineKey(true), subject, key) };
}

export function openByMachine(store: JournalStore): SlotOpener {
  return {
    kind: "machine",
    unwrap: async (subject, { wrapped }) => unsealKey(await store.machineKey(false), subject, wrapped),
  };
}
