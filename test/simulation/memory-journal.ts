import type { JournalStore, OwnedEntry } from "../../src/platform/types.ts";
import type { Client } from "./client.ts";
import type { Random } from "./random.ts";
import { pause } from "./virtual-time.ts";

interface StoredEntry {
  sealed?: Uint8Array<ArrayBuffer>;
  owner?: Client | undefined;
}

/** What processes keep of a journal on one disk. */
export interface MemoryJournal {
  random: Random;
  header?: Uint8Array;
  key?: CryptoKey;
  entries: Map<string, StoredEntry>;
}

export function createMemoryJournal(random: Random): MemoryJournal {
  return { random, entries: new Map() };
}

/** Longest time that a write takes, in milliseconds. */
const WRITE_MS = 20;

/** Opens the journal as one process does: its writes have no effect once it is dead, and it loses its entries then. */
export function openMemoryJournal(client: Client): JournalStore {
  const { journal } = client;
  const { entries, random } = journal;
  const isOwned = ({ owner }: StoredEntry) => owner !== undefined && !owner.death.aborted;

  /** Changes the disk at some moment of a write, unless the process dies before. */
  async function change(apply: () => void): Promise<void> {
    const at = random.below(WRITE_MS);
    await pause(at);
    if (!client.death.aborted) apply();
    await pause(WRITE_MS - at);
  }

  function toOwnedEntry(id: string, entry: StoredEntry): OwnedEntry {
    return {
      write: (sealed) =>
        change(() => {
          entry.sealed = sealed;
        }),
      remove: () => change(() => void entries.delete(id)),
      release: () =>
        change(() => {
          entry.owner = undefined;
        }),
    };
  }

  return {
    place: client.endpoints.api,
    readHeader: async () => journal.header,
    async writeHeader(header) {
      journal.header = header;
    },
    async machineKey() {
      journal.key ??= await crypto.subtle.importKey("raw", new Uint8Array(32), "AES-GCM", false, [
        "encrypt",
        "decrypt",
      ]);
      return journal.key;
    },
    async removeMachineKey() {
      delete journal.key;
    },
    // Processes of one person open the journal one after another.
    exclusively: (work) => work(),
    list: async () => [...entries].flatMap(([id, { sealed }]) => (sealed ? [id] : [])),
    read: async (id) => entries.get(id)?.sealed,
    async own(id, expected) {
      const isNew = expected !== "existing";
      if (isNew) entries.set(id, {});
      const entry = entries.get(id);
      if (!entry || isOwned(entry) || !(isNew || entry.sealed)) return undefined;
      entry.owner = client;
      return toOwnedEntry(id, entry);
    },
    listOwned: async (ids) =>
      new Map(
        ids
          .filter((id) => {
            const entry = entries.get(id);
            return entry !== undefined && isOwned(entry);
          })
          .map((id) => [id, "a client"]),
      ),
  };
}
