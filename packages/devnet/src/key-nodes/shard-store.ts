import type { FileAccess } from "../conditions/condition.ts";

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
  /** `undefined` if no conditions are set. */
  access: FileAccess | undefined;
}

export type ShardStore = ReturnType<typeof createShardStore>;

/** Creates the store of one key node: its files by content id. The first writer of a file owns it. */
export function createShardStore() {
  const files = new Map<string, StoredShard>();
  const delegates = new Map<string, readonly string[]>();
  return {
    get: (cid: string) => files.get(cid),
    set: (cid: string, stored: StoredShard) => void files.set(cid, stored),
    /** Lists the normalized addresses that may open all files of an owner. */
    getDelegates: (owner: string) => delegates.get(owner) ?? [],
    setDelegates: (owner: string, addresses: readonly string[]) => void delegates.set(owner, addresses),
  };
}
