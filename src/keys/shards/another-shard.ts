import { cannotRecoverKey } from "../../base/errors/nodes.ts";
import { readShards } from "./read-shards.ts";
import type { KeyShard } from "./sharing.ts";

/**
 * Makes one more shard of a key, at a new random index: together with any of the others it recovers the same key. From
 * wrong shards, or too few, it makes a wrong one without an error.
 *
 * @param keyShards - at least as many shards of one key as recover it
 * @throws `INVALID_SHARDS`; `CANNOT_RECOVER_KEY` for an empty list
 */
export async function makeAnotherShard(keyShards: readonly KeyShard[]): Promise<KeyShard> {
  const { shards, sharing } = readShards(keyShards);
  if (sharing === undefined) throw cannotRecoverKey({ got: 0 });
  return sharing.makeAnother(shards);
}
