import type { FileAccess } from "../conditions/condition.ts";

/** A shard as clients send it: both parts are hex. */
export interface Shard {
  key: string;
  index: string;
}

/** What one key node keeps about one file. */
export interface Kept {
  owner: string;
  shard: Shard;
  /** Normalized addresses, in the order they were added. */
  sharedTo: readonly string[];
  /** `undefined` while nobody set conditions. */
  access: FileAccess | undefined;
}

/** The files of one key node, by content id. Whoever writes a file first owns it. */
export interface ShardStore {
  get(cid: string): Kept | undefined;
  set(cid: string, kept: Kept): void;
}

/** Makes the store of one node. */
export function createShardStore(): ShardStore {
  const files = new Map<string, Kept>();
  return { get: (cid) => files.get(cid), set: (cid, kept) => void files.set(cid, kept) };
}
