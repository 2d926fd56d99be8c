import { cannotRecoverKey } from "../../errors/nodes.ts";
import { readShards } from "./read-shards.ts";
import type { KeyShard } from "./sharing.ts";

/**
 * One more shard of the key that these are of, at a fresh random index: together with any of the others it
 * gives the same key back. Of wrong shards, or too few, it makes a wrong one and no error.
 *
 * @param keyShards - at least as many shards of one key as give it back
 * @throws `INVALID_SHARDS`; `CANNOT_RECOVER_KEY` for none at all
 */
export async function anotherShard(keyShards: readonly KeyShard[]): Promise<KeyShard> {
  const { shards, sharing } = readShards(keyShards);
  if (sharing === undefined) throw cannotRecoverKey({ got: 0 });
  return sharing.another(shards);
}
