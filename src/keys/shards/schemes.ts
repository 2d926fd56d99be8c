import { DEFAULT_THRESHOLD, KEY_NODE_COUNT } from "../../base/config/limits.ts";
import { invalidOption } from "../../base/errors/input.ts";
import type { Check } from "../../base/operation.ts";
import { bls12381 } from "./bls12-381.ts";
import { gf256 } from "./gf256.ts";
import type { ShardScheme, Sharing } from "./sharing.ts";

const schemes = { "bls12-381": bls12381, gf256 } as const satisfies Record<ShardScheme, Sharing>;

/** The name of a scheme. */
export const checkScheme: Check<ShardScheme> = (value = "bls12-381", name) => {
  if (!Object.hasOwn(schemes, value as string)) throw invalidOption(name, Object.keys(schemes).join(" or "));
  return value as ShardScheme;
};

/** A whole number of at least 2: with 1, every shard is the key. */
export const checkThreshold: Check<number> = (value = DEFAULT_THRESHOLD, name) => {
  if (!Number.isSafeInteger(value) || (value as number) < 2) throw invalidOption(name, "a whole number of at least 2");
  return value as number;
};

/** A whole number. */
export const checkKeyCount: Check<number> = (value = KEY_NODE_COUNT, name) => {
  if (!Number.isSafeInteger(value)) throw invalidOption(name, "a whole number");
  return value as number;
};

/** Returns the scheme whose shards have an `index` of this many characters, if there is one. */
export function detectSharing(length: number): Sharing | undefined {
  return Object.values(schemes).find(({ indexLength }) => indexLength === length);
}

/** Returns how keys are split; throws `INVALID_OPTION` unless so many shards can be made and are enough. */
export function getSharing(scheme: ShardScheme, threshold: number, keyCount: number): Sharing {
  const sharing: Sharing = schemes[scheme];
  if (keyCount > sharing.maxKeyCount) throw invalidOption("keyCount", `at most ${sharing.maxKeyCount} in this scheme`);
  if (threshold > keyCount) throw invalidOption("threshold", "no more shards needed than there are (keyCount)");
  return sharing;
}
