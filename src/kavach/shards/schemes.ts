import { invalidOption } from "../../errors/input.ts";
import { bls12381 } from "./bls12-381.ts";
import { gf256 } from "./gf256.ts";
import type { ShardScheme, Sharing } from "./sharing.ts";

const schemes = { "bls12-381": bls12381, gf256 } as const satisfies Record<ShardScheme, Sharing>;

/** Returns the scheme of this name; throws `INVALID_OPTION` if there is none. */
export function getSharing(scheme: ShardScheme): Sharing {
  if (!Object.hasOwn(schemes, scheme)) throw invalidOption("scheme", Object.keys(schemes).join(" or "));
  return schemes[scheme];
}

/** Returns the scheme whose shards have an `index` of this many characters, if there is one. */
export function detectSharing(length: number): Sharing | undefined {
  return Object.values(schemes).find(({ indexLength }) => indexLength === length);
}

/** Throws `INVALID_OPTION` unless this is a whole number of at least 2: with 1, every shard is the key. */
export function checkThreshold(threshold: number): void {
  if (!Number.isSafeInteger(threshold) || threshold < 2) {
    throw invalidOption("threshold", "a whole number of at least 2");
  }
}

/** {@link checkThreshold}; also throws `INVALID_OPTION` unless so many shards can be made and are enough. */
export function checkCounts(sharing: Sharing, threshold: number, keyCount: number): void {
  checkThreshold(threshold);
  if (!Number.isSafeInteger(keyCount)) throw invalidOption("keyCount", "a whole number");
  if (keyCount > sharing.maxKeyCount) throw invalidOption("keyCount", `at most ${sharing.maxKeyCount} in this scheme`);
  if (threshold > keyCount) throw invalidOption("threshold", "no more shards needed than there are (keyCount)");
}
