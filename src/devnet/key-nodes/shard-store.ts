import type { FileAccess } from "../conditions/condition.ts";

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

/** The files of one key node, by content id. The first writer of a file owns it. */
export interface ShardStore {
  get(cid: string): StoredShard | undefined;
  set(cid: string, stored: StoredShard): void;
}

/** Creates the store of one node. */
export function createShardStore(): ShardStore {
  const files = new Map<string, StoredShard>();
  return { get: (cid) => files.get(cid), set: (cid, stored) => void files.set(cid, stored) };
}
