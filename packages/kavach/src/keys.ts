import {
  type FiveShards,
  isKeeplightError,
  kavachGenerate,
  kavachRecoverKey,
  kavachRecoverShards,
  kavachSaveShards,
  kavachShardKey,
} from "keeplight";
import { callAsOwner } from "./access.ts";
import { orErrorValue } from "./errors.ts";
import { getKeyNodeOptions } from "./settings.ts";
import type { AuthToken, DynamicData, GeneratedKey, KeyShard, RecoverShards, Unchecked } from "./types.ts";

/** Generates a random key and splits it, so that any `threshold` of its shards recover it. */
export async function generate(threshold = 3, keyCount = 5): Promise<GeneratedKey> {
  if (threshold > keyCount) throw new Error("keyCount must be greater then threshold");
  return kavachGenerate({ threshold, keyCount });
}

/**
 * Splits a key, so that any `threshold` of its shards recover it. Other versions of this call make shards of which one
 * more is needed.
 */
export async function shardKey(
  key: string,
  threshold = 3,
  keyCount = 5,
): Promise<{ isShardable: boolean; keyShards: { key: Unchecked; index: Unchecked }[] }> {
  try {
    const { keyShards } = await kavachShardKey(key, { threshold, keyCount });
    return { isShardable: true, keyShards };
  } catch (error) {
    if (!isKeeplightError(error)) throw error;
    return { isShardable: false, keyShards: [] };
  }
}

/**
 * Recovers a key from its shards. One faulty shard of five is left out; others that do not fit the threshold 3 are taken for
 * those of a higher one, so that a faulty shard yields a wrong key.
 */
export async function recoverKey(
  keyShards: KeyShard[],
): Promise<{ masterKey: Unchecked; error: null } | { masterKey: null; error: string }> {
  const [first] = Array.isArray(keyShards) ? keyShards : [];
  if (typeof first?.index !== "string" || typeof first.key !== "string") {
    throw new Error("keyShards must be an array of objects containing these keys [index, key]");
  }
  try {
    return { masterKey: await findKey(keyShards.map((shard) => ({ ...shard }))), error: null };
  } catch (error) {
    if (!isKeeplightError(error)) throw error;
    return { masterKey: null, error: "can't recover Key" };
  }
}

/** A key may have been split with any threshold: shards that do not fit the usual one are all needed. */
async function findKey(keyShards: KeyShard[]): Promise<string> {
  const count = keyShards.length;
  try {
    return (await kavachRecoverKey(keyShards, { threshold: Math.min(count, 3) })).masterKey;
  } catch (error) {
    if (count <= 3 || !isKeeplightError(error, "CANNOT_RECOVER_KEY")) throw error;
    return (await kavachRecoverKey(keyShards, { threshold: count })).masterKey;
  }
}

type Saved = { isSuccess: boolean; error: Unchecked } | { isSuccess: Unchecked; error: null };

/** Saves the five shards of a file's key, one on each key node. */
export async function saveShards(
  address: string,
  cid: string,
  auth_token: AuthToken,
  keyShards: KeyShard[],
  shareTo: string[] = [],
): Promise<Saved> {
  const recipients = shareTo.length > 0 ? { shareTo: shareTo as [string, ...string[]] } : {};
  return callAsOwner(address, auth_token, (owner) =>
    kavachSaveShards(cid, { ...owner, keyShards: keyShards as FiveShards, ...recipients }),
  );
}

/** Fetches shards of a file's key: from other key nodes if some fail. */
export async function recoverShards(
  address: string,
  cid: string,
  auth_token: AuthToken,
  numOfShards = 3,
  dynamicData: DynamicData = {},
): Promise<RecoverShards> {
  return orErrorValue<RecoverShards>(
    async () => {
      const owner = { ...getKeyNodeOptions(), address, authToken: auth_token };
      const { shards } = await kavachRecoverShards(cid, { ...owner, count: numOfShards, dynamicData });
      const sorted = [...shards].sort((a, b) => a.node - b.node);
      return { shards: sorted.map(({ key, index }) => ({ key, index })), error: null };
    },
    (error) => ({ shards: [], error }),
  );
}
