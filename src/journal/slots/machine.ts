import type { JournalStore } from "../../platform/types.ts";
import { seal, unseal } from "../sealing.ts";
import type { Slot } from "./slot.ts";

/** Wraps by a key that this machine keeps: a file that only this user may read, or a page's non-extractable key. */
export function machineSlot(store: JournalStore, { mayCreate }: { mayCreate: boolean }): Slot {
  return {
    kind: "machine",
    async wrap(journal, key) {
      const sealed = await seal(await store.machineKey(mayCreate), { journal, id: "machine" }, key);
      return btoa(String.fromCharCode(...sealed));
    },
    async unwrap(journal, wrapped) {
      const sealed = Uint8Array.from(atob(wrapped), (character) => character.charCodeAt(0));
      return unseal(await store.machineKey(mayCreate), { journal, id: "machine" }, sealed);
    },
  };
}
