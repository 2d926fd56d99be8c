import type { KEY_NODE_COUNT } from "../../base/config/limits.ts";
import { invalidKey } from "../../base/errors/input.ts";
import { type OptionSchema, resolveOptions } from "../../base/operation.ts";
import type { FiveShards, KeyShard, ShardScheme } from "./schemes.ts";
import { checkKeyCount, checkScheme, checkThreshold, getSharing } from "./schemes.ts";

/** Options of {@link kavachGenerate} and {@link kavachShardKey}. */
export interface ShardOptions {
  /** How many shards recover the key; at least 2. @default 3 */
  threshold?: number | undefined;
  /** How many shards to make; at least `threshold`, and at most 255 in `gf256`. @default 5 */
  keyCount?: number | undefined;
  /** How to split. @default `bls12-381`, the only one that older clients know */
  scheme?: ShardScheme | undefined;
}

/** Without `keyCount` there are five shards, one per key node, so that no more than five can be required. */
type FiveShardOptions = ShardOptions & {
  threshold?: 2 | 3 | 4 | 5 | undefined;
  keyCount?: typeof KEY_NODE_COUNT | undefined;
};

/** Any number of shards. */
type SomeShardOptions = ShardOptions & { keyCount: number };

/** As many shards as `keyCount`: two at least. */
type SomeShards = [KeyShard, KeyShard, ...KeyShard[]];

/** A key that was split. */
type ShardedKey<Shards> = {
  /** Its shards, which are secrets. */
  keyShards: Shards;
};

/** A new key. */
type GeneratedKey<Shards> = ShardedKey<Shards> & {
  /** The key, 64 lower-case hex characters: a secret. */
  masterKey: string;
};

const schema = {
  threshold: checkThreshold,
  keyCount: checkKeyCount,
  scheme: checkScheme,
} satisfies OptionSchema<ShardOptions>;

/**
 * Generates a random master key and splits it, so that any `threshold` of its `keyCount` shards recover it
 * and fewer reveal nothing about it (Shamir, "How to share a secret", CACM 22, 1979).
 *
 * @param options - counts and scheme
 * @returns the master key, 64 lower-case hex characters, and its shards; both are secrets
 * @throws KeeplightError `INVALID_OPTION`
 *
 * @example
 * const { masterKey, keyShards } = await kavachGenerate();
 * const recovered = await kavachRecoverKey(keyShards.slice(0, 3));
 * recovered.masterKey === masterKey; // true
 */
export function kavachGenerate(options?: FiveShardOptions): Promise<GeneratedKey<FiveShards>>;
export function kavachGenerate(options: SomeShardOptions): Promise<GeneratedKey<SomeShards>>;
export async function kavachGenerate(options: ShardOptions = {}): Promise<GeneratedKey<KeyShard[]>> {
  const { threshold, keyCount, scheme } = resolveOptions(schema, options);
  const sharing = getSharing(scheme, threshold, keyCount);
  const masterKey = sharing.generateKey();
  return { masterKey, keyShards: await sharing.split(masterKey, threshold, keyCount) };
}

/**
 * Splits an existing key, like {@link kavachGenerate}. Each call returns different shards, which
 * cannot be mixed with those of another call.
 *
 * @param masterKey - hex, in either case, though recovery returns lower case. In `bls12-381` 64
 *   characters below the order of that curve's scalar field; in `gf256` any whole number of bytes
 *   (each shard is as long as it, and a MiB takes seconds)
 * @param options - counts and scheme
 * @returns the shards, which are secrets
 * @throws KeeplightError `INVALID_KEY` if this scheme cannot split this key, `INVALID_OPTION`
 *
 * @example
 * const secret = Buffer.from("correct horse battery staple").toString("hex");
 * const { keyShards } = await kavachShardKey(secret, { scheme: "gf256", threshold: 2, keyCount: 3 });
 */
export function kavachShardKey(masterKey: string, options?: FiveShardOptions): Promise<ShardedKey<FiveShards>>;
export function kavachShardKey(masterKey: string, options: SomeShardOptions): Promise<ShardedKey<SomeShards>>;
export async function kavachShardKey(masterKey: string, options: ShardOptions = {}): Promise<ShardedKey<KeyShard[]>> {
  const { threshold, keyCount, scheme } = resolveOptions(schema, options);
  const sharing = getSharing(scheme, threshold, keyCount);
  if (typeof masterKey !== "string" || /[^0-9a-f]/i.test(masterKey)) {
    throw invalidKey("Invalid key: masterKey must be hex");
  }
  const problem = sharing.findKeyProblem(masterKey);
  if (problem !== undefined) throw invalidKey(`Invalid key: masterKey ${problem}`);
  return { keyShards: await sharing.split(masterKey, threshold, keyCount) };
}
