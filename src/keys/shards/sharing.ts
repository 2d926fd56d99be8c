/**
 * How a key is split:
 * - `bls12-381`: over the scalar field of BLS12-381, as every client of the network does. Splits
 *   32-byte keys below the order of that field.
 * - `gf256`: byte by byte over GF(2^8), by the package `shamir-secret-sharing`. Splits secrets of any
 *   size, which only clients that know this scheme can recover.
 */
export type ShardScheme = "bls12-381" | "gf256";

/**
 * One point of the polynomial whose value at 0 is the master key. Both parts are hex: the length of
 * `index` (64 characters, or 2) distinguishes `bls12-381` from `gf256`.
 */
export type KeyShard = {
  /** The value: 64 characters in `bls12-381`, as long as the master key in `gf256`. Secret. */
  key: string;
  /** The place of the value: not zero, and different for every shard of a key. */
  index: string;
};

/** The shards of a key for the five key nodes, in their order. */
export type FiveShards = [KeyShard, KeyShard, KeyShard, KeyShard, KeyShard];

/** One way of splitting a key. Its inputs must have passed its own `find…Problem` functions. */
export interface Sharing {
  /** Characters of a shard's `index`. */
  indexLength: number;
  /** Maximum number of shards of a key. */
  maxKeyCount: number;
  /**
   * Whether older clients write this scheme. Their `shardKey` uses one coefficient too many, so their
   * shards may need one more than the threshold.
   */
  writtenByOlderClients: boolean;
  /** Generates a random master key, as lower-case hex. */
  generateKey(): string;
  /** Describes why this hex string cannot be split, without showing it; undefined if it can. */
  findKeyProblem(masterKey: string): string | undefined;
  /** Describes why this shard, both parts hex, cannot be used; undefined if it can. */
  findShardProblem(shard: KeyShard): string | undefined;
  /** Returns `keyCount` points of a random polynomial of degree `threshold` − 1 through (0, master key). */
  split(masterKey: string, threshold: number, keyCount: number): Promise<KeyShard[]>;
  /** Returns the value at 0 of the lowest-degree polynomial through all these shards, as lower-case hex. */
  combine(shards: readonly KeyShard[]): Promise<string>;
  /** Returns that polynomial's value at a random place that none of these shards has. */
  makeAnother(shards: readonly KeyShard[]): Promise<KeyShard>;
}
