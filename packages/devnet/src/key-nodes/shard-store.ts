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
  /** Lists the normalized addresses that may open all files of an owner. */
  getDelegates(owner: string): readonly string[];
  /** Replaces them. */
  setDelegates(owner: string, delegates: readonly string[]): void;
}

/** Creates the store of one node. */
export function createShardStore(): ShardStore {
  const files = new Map<string, StoredShard>();
  const delegates = new Map<string, readonly string[]>();
  return {
    get: (cid) => files.get(cid),
    set: (cid, stored) => void files.set(cid, stored),
    getDelegates: (owner) => delegates.get(owner) ?? [],
    setDelegates: (owner, addresses) => void delegates.set(owner, addresses),
  };
}
