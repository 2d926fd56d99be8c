import { DEFAULT_THRESHOLD } from "../../config/limits.ts";
import { cannotRecoverKey } from "../../errors/nodes.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { readShards } from "./read-shards.ts";
import { checkThreshold } from "./schemes.ts";
import type { KeyShard, Sharing } from "./sharing.ts";

/** Options of {@link kavachRecoverKey}. */
export interface RecoverKeyOptions {
  /** How many shards give the key back; at least 2. Default 3. */
  threshold?: number | undefined;
}

const recoverKeyNames = "threshold";

/** A key put together again. */
export interface RecoveredKey {
  /** Lower-case hex: 64 characters, or in `gf256` as long as the key that was split. */
  masterKey: string;
  /** Positions, in the list given, of shards that do not belong to the others. Normally none. */
  faultyShards: number[];
}

/**
 * Puts a master key together from its shards, of either scheme (told apart by the length of `index`).
 *
 * **With exactly `threshold` shards nothing can be checked**: one wrong shard gives a wrong key and no
 * error, and only the file's tag tells. One shard more shows that something is wrong. Two more show
 * what: if one of them lies it is left out and its position named, and if all of them fit a polynomial
 * one degree too high, which is what older clients' `shardKey` makes, that one's key is given.
 *
 * @param keyShards - at least `threshold` of the shards, in any order
 * @param options - the threshold
 * @throws KeeplightError `INVALID_SHARDS` if one is malformed, an index is there twice or schemes are
 *   mixed; `CANNOT_RECOVER_KEY` if there are too few (`details`: `needed`, `got`) or they do not
 *   belong together (`details.reason`); `INVALID_OPTION`
 *
 * @example
 * const { masterKey, keyShards } = await kavachGenerate();
 * const tampered = keyShards.map((shard, i) => (i === 4 ? { ...shard, key: "00".repeat(32) } : shard));
 * await kavachRecoverKey(tampered); // { masterKey, faultyShards: [4] }
 */
export async function kavachRecoverKey(
  keyShards: readonly KeyShard[],
  options: RecoverKeyOptions = {},
): Promise<RecoveredKey> {
  checkOptions(options, recoverKeyNames);
  const { threshold = DEFAULT_THRESHOLD } = options;
  checkThreshold(threshold);
  const { shards, sharing } = readShards(keyShards);
  const got = shards.length;
  if (sharing === undefined || got < threshold) throw cannotRecoverKey({ needed: threshold, got });

  const twoMore = got >= threshold + 2;
  const recovered =
    (await agreedKey(sharing, shards, threshold, twoMore ? 1 : 0)) ??
    (twoMore && sharing.writtenByOlderClients ? await agreedKey(sharing, shards, threshold + 1, 0) : undefined);
  if (recovered === undefined) {
    throw cannotRecoverKey({ needed: threshold, got, reason: "the shards do not belong together" });
  }
  return recovered;
}

/**
 * The key that all shards but `mostLiars` (0 or 1) agree on, if there is one: those lie on one
 * polynomial of a degree below `threshold`.
 *
 * `threshold` shards, the base, always lie on one. Another shard lies on it too exactly if adding it
 * leaves the value at 0 as it is: adding (x, y) adds c·∏(X − xᵢ) to the polynomial, which at 0 is
 * nothing only if c is, no xᵢ being 0.
 */
async function agreedKey(
  sharing: Sharing,
  shards: readonly KeyShard[],
  threshold: number,
  mostLiars: 0 | 1,
): Promise<RecoveredKey | undefined> {
  // Of the first threshold + 1 shards leave out the last; then, as one of the others may lie, each of those.
  const lastToLeaveOut = mostLiars === 0 ? threshold : 0;
  for (let leftOut = threshold; leftOut >= lastToLeaveOut; leftOut--) {
    const base = shards.slice(0, threshold + 1).filter((_, position) => position !== leftOut);
    const masterKey = await sharing.combine(base);
    const faultyShards: number[] = [];
    for (const [position, shard] of shards.entries()) {
      if (faultyShards.length > mostLiars) break;
      if (base.includes(shard)) continue;
      if ((await sharing.combine([...base, shard])) !== masterKey) faultyShards.push(position);
    }
    if (faultyShards.length <= mostLiars) return { masterKey, faultyShards };
  }
  return undefined;
}
