/**
 * How a key is split:
 * - `bls12-381`: over the scalar field of BLS12-381, as every client of the network does. Splits
 *   32-byte keys below the order of that field.
 * - `gf256`: byte by byte over GF(2^8), by the package `shamir-secret-sharing`. Splits secrets of any
 *   size, which only clients that know this scheme can put together again.
 */
export type ShardScheme = "bls12-381" | "gf256";

/**
 * One point of the polynomial whose value at 0 is the master key. Both parts are hex: the length of
 * `index` (64 characters, or 2) tells `bls12-381` from `gf256`.
 */
export type KeyShard = {
  /** The value: 64 characters in `bls12-381`, as long as the master key in `gf256`. Secret. */
  key: string;
  /** Where it was taken: not zero, and different for every shard of a key. */
  index: string;
};

/** One way of splitting a key. What it is given has been checked by its own `…Problem` functions. */
export interface Sharing {
  /** Characters of a shard's `index`. */
  indexLength: number;
  /** Into how many shards a key can be split at most. */
  maxKeyCount: number;
  /**
   * Whether older clients write this scheme. Their `shardKey` uses one coefficient too many, so their
   * shards may need one more than the threshold.
   */
  writtenByOlderClients: boolean;
  /** A random master key, as lower-case hex. */
  newKey(): string;
  /** What keeps this hex text from being split, in words that do not show it; undefined if nothing. */
  keyProblem(masterKey: string): string | undefined;
  /** What keeps this shard, both parts hex, from being used; undefined if nothing. */
  shardProblem(shard: KeyShard): string | undefined;
  /** Takes `keyCount` points of a random polynomial of degree `threshold` − 1 through (0, master key). */
  split(masterKey: string, threshold: number, keyCount: number): Promise<KeyShard[]>;
  /** The value at 0 of the polynomial of the lowest degree through all these shards, as lower-case hex. */
  combine(shards: readonly KeyShard[]): Promise<string>;
  /** That polynomial's value at a random place where none of these shards was taken. */
  another(shards: readonly KeyShard[]): Promise<KeyShard>;
}
