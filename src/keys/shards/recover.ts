import { ignore } from "../../base/errors/base.ts";
import { cannotRecoverKey } from "../../base/errors/nodes.ts";
import { boolean, type OptionSchema, resolveOptions } from "../../base/operation.ts";
import type { NotEmpty } from "../../base/options.ts";
import type { KeyShard, Sharing } from "./schemes.ts";
import { checkThreshold, readShards } from "./schemes.ts";

/** Options of {@link kavachRecoverKey}. */
export interface RecoverKeyOptions {
  /** How many shards recover the key; at least 2. @default 3 */
  threshold?: number | undefined;
  /**
   * Return a key only if at least one shard more than `threshold` agrees on it: four, by default. Keys that need more
   * shards than `threshold` are refused then.
   *
   * @default false
   */
  strict?: boolean | undefined;
}

const schema = { threshold: checkThreshold, strict: boolean(false) } satisfies OptionSchema<RecoverKeyOptions>;

/** Result of {@link kavachRecoverKey}. */
export interface RecoveredKey {
  /** Lower-case hex: 64 characters, or in `gf256` as long as the key that was split. */
  masterKey: string;
  /** Positions, in the list passed, of shards that do not belong to the others. Normally none. */
  faultyShards: number[];
}

/**
 * Recovers a master key from its shards, of either scheme (distinguished by the length of `index`).
 *
 * **With exactly `threshold` shards nothing can be checked**: one wrong shard yields a wrong key and no
 * error, and only the file's tag reveals it. One shard more shows that something is wrong. Two more show
 * what: a single faulty shard is left out and its position reported, and if all of them fit a polynomial
 * one degree too high, as older clients' `shardKey` makes, that polynomial's key is returned. With `strict`, fewer than
 * `threshold` + 1 shards that agree are refused.
 *
 * @param keyShards - at least `threshold` of the shards, in any order
 * @param options - the threshold
 * @throws KeeplightError `INVALID_SHARDS` if one is malformed, an index occurs twice or schemes are
 *   mixed; `CANNOT_RECOVER_KEY` if there are too few (`details`: `needed`, `got`) or they do not
 *   belong together (`details.reason`); `INVALID_OPTION`
 *
 * @example
 * const { masterKey, keyShards } = await kavachGenerate();
 * const tampered = keyShards.map((shard, i) => (i === 4 ? { ...shard, key: "00".repeat(32) } : shard));
 * await kavachRecoverKey(tampered); // { masterKey, faultyShards: [4] }
 */
export async function kavachRecoverKey<const Shards extends readonly KeyShard[]>(
  keyShards: Shards & NotEmpty<Shards>,
  options: RecoverKeyOptions = {},
): Promise<RecoveredKey> {
  const { threshold, strict } = resolveOptions(schema, options);
  const { shards, sharing } = readShards(keyShards);
  const got = shards.length;
  const needed = strict ? threshold + 1 : threshold;
  if (sharing === undefined || got < needed) throw cannotRecoverKey({ needed, got });

  const hasTwoMore = got >= threshold + 2;
  const recovered =
    (await findCommonKey(sharing, shards, threshold, hasTwoMore ? 1 : 0)) ??
    (hasTwoMore && sharing.writtenByOlderClients && !strict
      ? await findCommonKey(sharing, shards, threshold + 1, 0)
      : undefined);
  if (recovered) return recovered;
  throw cannotRecoverKey({ needed, got, reason: "the shards do not belong together" });
}

/**
 * Finds the key that all shards but `maxFaulty` (0 or 1) agree on, if there is one: those are points of one
 * polynomial of a degree below `threshold`.
 *
 * `threshold` shards, the base, always are. Another shard is a point of the same polynomial if and only if adding
 * it leaves the value at 0 unchanged: adding (x, y) adds c·∏(X − xᵢ) to the polynomial, which is zero at 0 only if
 * c is zero, as no xᵢ is 0.
 */
async function findCommonKey(
  sharing: Sharing,
  shards: readonly KeyShard[],
  threshold: number,
  maxFaulty: 0 | 1,
): Promise<RecoveredKey | undefined> {
  // Of the first threshold + 1 shards leave out the last; then, as one of the others may be faulty, each of those.
  const lastToLeaveOut = maxFaulty === 0 ? threshold : 0;
  for (let leftOut = threshold; leftOut >= lastToLeaveOut; leftOut--) {
    const base = shards.slice(0, threshold + 1).filter((_, position) => position !== leftOut);
    const masterKey = await sharing.combine(base);
    const faultyShards: number[] = [];
    for (const [position, shard] of shards.entries()) {
      if (faultyShards.length > maxFaulty) break;
      if (base.includes(shard)) continue;
      if ((await sharing.combine([...base, shard])) !== masterKey) faultyShards.push(position);
    }
    if (faultyShards.length <= maxFaulty) return { masterKey, faultyShards };
  }
  return undefined;
}

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
  for (const size of [Math.max(shards.length, threshold), threshold, threshold + 1]) {
    for await (const { key } of combineSubsets(shards, size)) {
      if (tried++ === MAX_COMBINATIONS) return [...keys];
      keys.add(key);
    }
  }
  return [...keys];
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
    for await (const { key: combined, positions } of combineSubsets(shards, size)) {
      if (combined === key) for (const position of positions) matching.add(position);
    }
    if (matching.size > 0) return [...shards.keys()].filter((position) => !matching.has(position));
  }
  return [];
}

/** Yields the key of each `size` shards, in the order of the list; those that cannot be combined are skipped. */
async function* combineSubsets(shards: readonly KeyShard[], size: number) {
  for (const subset of subsets([...shards.entries()], size)) {
    const key = await ignoreCombineError(combine(subset.map(([, shard]) => shard)));
    if (key !== undefined) yield { key, positions: subset.map(([position]) => position) };
  }
}

async function combine(subset: readonly KeyShard[]): Promise<string | undefined> {
  const { shards, sharing } = readShards(subset);
  return sharing?.combine(shards);
}

/** Resolves to `undefined` if the shards cannot be combined, or not into one key. */
export function ignoreCombineError<T>(result: Promise<T>): Promise<T | undefined> {
  return result.catch(ignore("INVALID_SHARDS", "CANNOT_RECOVER_KEY"));
}

/** Yields all ways to choose `size` items, in the order of the list. */
function* subsets<T>(items: readonly T[], size: number, from = 0): Generator<T[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (const [offset, item] of items.slice(from, items.length - size + 1).entries()) {
    for (const rest of subsets(items, size - 1, from + offset + 1)) yield [item, ...rest];
  }
}
