import type { FileAccess } from "../conditions/condition.ts";
import type { StoredMap } from "../state/stored-map.ts";

/** Number of key nodes. */
export const NODE_COUNT = 5;

/** A shard as clients send it, in hex. */
export interface Shard {
  /** The value. */
  key: string;
  /** The place of the value. */
  index: string;
}

/** One key node's record of a file. */
export interface StoredShard {
  owner: string;
  shard: Shard;
  /** Normalized addresses, in the order they were added. */
  sharedTo: readonly string[];
  /** Missing if no conditions are set. */
  access?: FileAccess | undefined;
}

export type ShardStore = ReturnType<typeof createShardStore>;

/**
 * Creates the store of one key node: its files by content id, and delegates by owner. The first writer of a file owns it.
 */
export function createShardStore(
  files: StoredMap<StoredShard> = new Map(),
  delegates: StoredMap<readonly string[]> = new Map(),
) {
  return {
    get: (cid: string) => files.get(cid),
    set: (cid: string, stored: StoredShard) => void files.set(cid, stored),
    /** Lists the normalized addresses that may open all files of an owner. */
    getDelegates: (owner: string) => delegates.get(owner) ?? [],
    setDelegates: (owner: string, addresses: readonly string[]) => void delegates.set(owner, addresses),
  };
}
