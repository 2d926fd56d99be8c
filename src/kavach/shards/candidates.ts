import { isKeeplightError } from "../../errors/base.ts";
import { readShards } from "./read-shards.ts";
import { kavachRecoverKey } from "./recover.ts";
import type { KeyShard } from "./sharing.ts";

/** Trying a key on a file costs a key derivation. All subsets of five shards give 16 keys at most. */
const MOST_COMBINATIONS = 40;

/**
 * Every key that these shards may stand for, the likeliest first, for a caller who can tell the right
 * one (a file's tag can). First what {@link kavachRecoverKey} gives, then the key of all shards together,
 * which is that of a file with a higher threshold, then of every `threshold` shards and of every
 * `threshold` + 1 (older clients' `shardKey` needs one more). Shards that cannot be combined, being
 * malformed or a copy of another, are passed over.
 *
 * @returns distinct keys as lower-case hex, 41 at most; none where there are too few shards
 * @throws KeeplightError `INVALID_OPTION`
 */
export async function keyCandidates(shards: readonly KeyShard[], threshold: number): Promise<string[]> {
  const keys = new Set<string>();
  const likeliest = await ignoreCombineError(kavachRecoverKey(shards, { threshold }));
  if (likeliest) keys.add(likeliest.masterKey);
  let tried = 0;
  for (const subset of likelySubsets(shards, threshold)) {
    if (tried === MOST_COMBINATIONS) break;
    const key = await ignoreCombineError(combined(subset));
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
 * Positions of the shards that do not belong to a key that has proved right: those that are in no set of
 * `threshold` shards (or one more, for older clients' `shardKey`) which gives it.
 *
 * @throws KeeplightError `INVALID_OPTION`
 */
export async function findFaultyShards(key: string, shards: readonly KeyShard[], threshold: number): Promise<number[]> {
  const positions = [...shards.keys()];
  for (const size of [threshold, threshold + 1]) {
    const honest = new Set<number>();
    for (const subset of subsets(positions, size)) {
      const chosen = subset.flatMap((position) => shards[position] ?? []);
      if ((await ignoreCombineError(combined(chosen))) === key) for (const position of subset) honest.add(position);
    }
    if (honest.size > 0) return positions.filter((position) => !honest.has(position));
  }
  return [];
}

async function combined(subset: readonly KeyShard[]): Promise<string | undefined> {
  const { shards, sharing } = readShards(subset);
  return sharing?.combine(shards);
}

async function ignoreCombineError<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    const code = isKeeplightError(error) ? error.code : undefined;
    if (code === "INVALID_SHARDS" || code === "CANNOT_RECOVER_KEY") return undefined;
    throw error;
  }
}

/** All ways to choose `size` items, in the order of the list. */
function* subsets<T>(items: readonly T[], size: number, from = 0): Generator<T[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (const [offset, item] of items.slice(from).entries()) {
    for (const rest of subsets(items, size - 1, from + offset + 1)) yield [item, ...rest];
  }
}
