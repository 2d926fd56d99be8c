import { isKeeplightError } from "../../base/errors/base.ts";
import { readShards } from "./read-shards.ts";
import { kavachRecoverKey } from "./recover.ts";
import type { KeyShard } from "./sharing.ts";

/** Trying a key on a file costs a key derivation. All subsets of five shards yield 16 keys at most. */
const MAX_COMBINATIONS = 40;

/**
 * Returns every key that these shards may stand for, the likeliest first, for a caller who can identify the
 * right one (by a file's tag). First the key that {@link kavachRecoverKey} returns, then that of all shards together,
 * for a file with a higher threshold, then those of every `threshold` shards and of every `threshold` + 1 (older
 * clients' `shardKey` needs one more). Shards that cannot be combined, being malformed or duplicates, are skipped.
 *
 * @returns distinct keys as lower-case hex, 41 at most; none if there are too few shards
 * @throws KeeplightError `INVALID_OPTION`
 */
export async function keyCandidates(shards: readonly KeyShard[], threshold: number): Promise<string[]> {
  const keys = new Set<string>();
  const likeliest = await ignoreCombineError(kavachRecoverKey(shards, { threshold }));
  if (likeliest) keys.add(likeliest.masterKey);
  let tried = 0;
  for (const subset of likelySubsets(shards, threshold)) {
    if (tried === MAX_COMBINATIONS) break;
    const key = await ignoreCombineError(combine(subset));
    if (key === undefined) continue;
    keys.add(key);
    tried++;
  }
  return [...keys];
}

function* likelySubsets(shards: readonly KeyShard[], threshold: number): Generator<readonly KeyShard[]> {
  if (shards.length >= threshold) yield shards;
  yield* subsets(shards, threshold);
  yield* subsets(shards, threshold + 1);
}

/**
 * Returns the key that `threshold` + 1 of these shards agree on, if there is one. Faulty shards are left out, even those
 * that cannot be combined with the others.
 *
 * @throws KeeplightError `INVALID_OPTION`
 */
export async function findAgreedKey(shards: readonly KeyShard[], threshold: number): Promise<string | undefined> {
  for (const subset of subsets(shards, threshold + 1)) {
    const agreed = await ignoreCombineError(kavachRecoverKey(subset, { threshold, strict: true }));
    if (agreed) return agreed.masterKey;
  }
  return undefined;
}

/**
 * Finds the positions of the shards that do not belong to a key that has proved right: those that are in no set of
 * `threshold` shards (or one more, for older clients' `shardKey`) that yields it.
 *
 * @throws KeeplightError `INVALID_OPTION`
 */
export async function findFaultyShards(key: string, shards: readonly KeyShard[], threshold: number): Promise<number[]> {
  for (const size of [threshold, threshold + 1]) {
    const matching = new Set<number>();
    for (const subset of subsets([...shards.entries()], size)) {
      const chosen = subset.map(([, shard]) => shard);
      if ((await ignoreCombineError(combine(chosen))) === key) for (const [position] of subset) matching.add(position);
    }
    if (matching.size > 0) return [...shards.keys()].filter((position) => !matching.has(position));
  }
  return [];
}

async function combine(subset: readonly KeyShard[]): Promise<string | undefined> {
  const { shards, sharing } = readShards(subset);
  return sharing?.combine(shards);
}

/** Resolves to `undefined` if the shards cannot be combined, or not into one key. */
export async function ignoreCombineError<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    const code = isKeeplightError(error) ? error.code : undefined;
    if (code === "INVALID_SHARDS" || code === "CANNOT_RECOVER_KEY") return undefined;
    throw error;
  }
}

/** Yields all ways to choose `size` items, in the order of the list. */
function* subsets<T>(items: readonly T[], size: number, from = 0): Generator<T[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (const [offset, item] of items.slice(from).entries()) {
    for (const rest of subsets(items, size - 1, from + offset + 1)) yield [item, ...rest];
  }
}
