import type { AppNetwork } from "../network.ts";
import { openSealedRecord } from "./sealed-record.ts";
import { readItems, type SharedItem } from "./shared-item.ts";

/** The oldest are dropped beyond this. */
const MAX_ITEMS = 1_000;
const MAX_NAME = 255;

/** The files that were shared with one account: kept in this browser, encrypted. */
export interface SharedList {
  load(): Promise<SharedItem[]>;
  /** Adds a file, unless it is there. */
  add(item: SharedItem): Promise<void>;
  remove(cid: string): Promise<void>;
  /** Calls `listener` after each change, by any tab; returns what ends that. */
  subscribe(listener: () => void): () => void;
}

/** Opens the list of an account. Nothing is stored before the first file is added. */
export function openSharedList({ network, address }: { network: AppNetwork; address: string }): SharedList {
  const name = `keeplight shared ${network.endpoints.api} ${address}`;
  const record = openSealedRecord(name);

  async function change(update: (items: SharedItem[]) => SharedItem[]): Promise<void> {
    // Another tab may change it at the same time.
    await navigator.locks.request(name, async () => {
      const items = readItems((await record.read()) ?? []);
      const changed = update(items);
      if (changed === items) return;
      await record.write(changed);
      const channel = new BroadcastChannel(name);
      channel.postMessage("changed");
      channel.close();
    });
  }

  return {
    load: async () => readItems((await record.read()) ?? []),
    add: (item) =>
      change((items) => {
        if (items.some(({ cid }) => cid === item.cid)) return items;
        return [{ ...item, name: item.name.slice(0, MAX_NAME) }, ...items].slice(0, MAX_ITEMS);
      }),
    remove: (cid) => change((items) => items.filter((item) => item.cid !== cid)),
    subscribe(listener) {
      const channel = new BroadcastChannel(name);
      channel.onmessage = listener;
      return () => channel.close();
    },
  };
}
