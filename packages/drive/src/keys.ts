import { normalizeCid } from "keeplight/parts";
import type { Local } from "./local.ts";
import type { DriveMemory } from "./memory.ts";
import type { Remote } from "./remote.ts";
import type { DriveKey } from "./seal.ts";

/** The keys of a drive. Two devices may have created a drive each: versions of both are read by both. */
export function createKeys(remote: Remote, local: Local) {
  let keys: readonly DriveKey[] = [];
  let isFirstWhole = true;
  let repairing: Promise<void> | undefined;

  async function repairFirst(drive: string): Promise<void> {
    try {
      isFirstWhole = await remote.repairKey(drive);
      if (isFirstWhole) await local.remember(() => ({ isKeyWhole: true }));
    } catch {
      // The drive may be closed by now, too.
    }
  }

  return {
    list: () => keys,
    /** The key that versions are sealed by. */
    first: (): DriveKey | undefined => keys[0],
    has: (drive: string): boolean => keys.some((key) => key.drive === drive),
    /** Whether a file, by its content id in any encoding, has one of the keys. */
    isKey(cid: string): boolean {
      const id = normalizeCid(cid);
      return keys.some((key) => normalizeCid(key.drive) === id);
    },

    /** Starts from what the journal has. */
    restore(memory: DriveMemory): void {
      keys = memory.keys;
      isFirstWhole = memory.isKeyWhole ?? true;
    },

    async create(): Promise<void> {
      const { key, isWhole } = await remote.createKey();
      keys = [key];
      isFirstWhole = isWhole;
      await local.remember(() => ({ keys, isKeyWhole: isWhole }));
    },

    /** Reads the files of these content ids, and keeps the keys that are in them. Returns whether there are any. */
    async find(cids: readonly string[]): Promise<boolean> {
      const found = (await Promise.all(cids.map(remote.readKey))).flatMap((key) => key ?? []);
      if (found.length === 0) return false;
      found.sort((one, other) => one.createdAt - other.createdAt || (one.drive < other.drive ? -1 : 1));
      // A device never seals by another key than the one that it knows; only a drive of which it knows nothing starts with the
      // oldest.
      keys = [...keys, ...found.map(({ drive, key }) => ({ drive, key }))];
      await local.remember(() => ({ keys }));
      return true;
    },

    /** Saves what a key node did not take when the drive was created, once at a time. What fails is tried again by the next sync. */
    async repair(): Promise<void> {
      const [key] = keys;
      if (isFirstWhole || !key) return;
      repairing ??= repairFirst(key.drive).finally(() => {
        repairing = undefined;
      });
      await repairing;
    },
  };
}
