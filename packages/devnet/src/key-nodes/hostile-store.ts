import type { AttackBook } from "../attacks/attack-book.ts";
import { normalizeAddress } from "../auth/addresses.ts";
import type { ShardStore } from "./shard-store.ts";

/** Wraps the store of a node that may be attacking: then another address owns a file, or a change is dropped. */
export function createHostileStore(store: ShardStore, node: number, attacks: AttackBook): ShardStore {
  return {
    get(cid) {
      const stored = store.get(cid);
      const seizure = attacks.find("seize", { cid, node });
      return stored && seizure ? { ...stored, owner: normalizeAddress(seizure.owner) ?? stored.owner } : stored;
    },
    set(cid, stored) {
      if (!attacks.find("ignore-changes", { cid, node })) store.set(cid, stored);
    },
    getDelegates: store.getDelegates,
    setDelegates(owner, delegates) {
      if (!attacks.find("ignore-changes", { node })) store.setDelegates(owner, delegates);
    },
  };
}
