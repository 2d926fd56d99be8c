import { nameDatabase } from "../session/account-databases.ts";
import { openSealedRecord } from "./sealed-record.ts";

/** A list of one account, kept in this browser, encrypted. */
export interface SealedList<Item> {
  load(): Promise<Item[]>;
  /** Replaces the list by what `update` returns; the same array leaves it as it is. */
  change(update: (items: Item[]) => Item[]): Promise<void>;
  /** Calls `listener` after each change, by any tab; returns what ends that. */
  subscribe(listener: () => void): () => void;
}

/**
 * Opens a list. Nothing is stored before it is changed.
 *
 * @param place - name of the account's journal; without one nothing is kept
 * @param read - returns the items of what is stored; throws for anything else
 */
export function openSealedList<Item>(
  kind: Parameters<typeof nameDatabase>[0],
  place: string | undefined,
  read: (value: unknown) => Item[],
): SealedList<Item> {
  if (place === undefined)
    return { load: async () => [], change: async () => undefined, subscribe: () => () => undefined };
  const name = nameDatabase(kind, place);
  const record = openSealedRecord(name);
  const load = async () => read((await record.read()) ?? []);
  return {
    load,
    async change(update) {
      // Another tab may change it at the same time.
      await navigator.locks.request(name, async () => {
        const items = await load();
        const changed = update(items);
        if (changed === items) return;
        await record.write(changed);
        const channel = new BroadcastChannel(name);
        channel.postMessage("changed");
        channel.close();
      });
    },
    subscribe(listener) {
      const channel = new BroadcastChannel(name);
      channel.onmessage = listener;
      return () => channel.close();
    },
  };
}
