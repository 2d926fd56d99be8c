import { invalidShards } from "../../base/errors/crypto.ts";
import { detectSharing } from "./schemes.ts";
import type { KeyShard, Sharing } from "./sharing.ts";

/** A list of shards that can be combined. */
interface ReadShards {
  shards: readonly KeyShard[];
  /** The scheme of all of them; undefined for an empty list. */
  sharing: Sharing | undefined;
}

/**
 * Checks an untrusted list of shards: each well-formed, all of one scheme (and in `gf256` of one
 * length), no duplicate index.
 *
 * @throws KeeplightError `INVALID_SHARDS`; `details.position` identifies the shard, and no shard is shown
 */
export function readShards(value: unknown): ReadShards {
  if (!Array.isArray(value)) throw invalidShards("keyShards must be an array of objects { index, key }");
  const shards = Array.from(value, checkKeyShard);
  const [first] = shards;
  if (first === undefined) return { shards, sharing: undefined };
  const seen = new Set<string>();
  for (const [position, { key, index }] of shards.entries()) {
    if (index.length !== first.index.length) throw invalidShards("keyShards are of different schemes", position);
    if (key.length !== first.key.length) throw invalidShards("keyShards are of different lengths", position);
    const place = index.toLowerCase();
    if (seen.has(place)) throw invalidShards("keyShards have the same index twice", position);
    seen.add(place);
  }
  return { shards, sharing: detectSharing(first.index.length) };
}

/**
 * Whether this is a well-formed shard of either scheme: hex of the right lengths, an index that is not
 * zero, numbers inside the field. Whether it belongs to any key is not checked.
 */
export function isKeyShard(value: unknown): value is KeyShard {
  return typeof readShard(value) !== "string";
}

/** Returns a copy of a well-formed shard of either scheme; throws `INVALID_SHARDS`, which names its position. */
export function checkKeyShard(value: unknown, position: number): KeyShard {
  const shard = readShard(value);
  if (typeof shard === "string") throw invalidShards(`keyShards[${position}]: ${shard}`, position);
  return shard;
}

/** Returns a copy of a well-formed shard, or a description of what is wrong with it. */
function readShard(value: unknown): KeyShard | string {
  if (typeof value !== "object" || value === null) return "must be an object { index, key }";
  if (!("index" in value && "key" in value)) return "must have index and key";
  const { index, key } = value;
  if (typeof index !== "string" || typeof key !== "string") return "index and key must be strings";
  if (/[^0-9a-f]/i.test(index + key)) return "index and key must be hex";
  const sharing = detectSharing(index.length);
  if (sharing === undefined) return "index must be 64 hex characters (bls12-381) or 2 (gf256)";
  if (/^0*$/.test(index)) return "index must not be zero";
  return sharing.findShardProblem({ index, key }) ?? { index, key };
}
