import { wholeNumber } from "../../base/checks.ts";
import { DEFAULT_THRESHOLD, KEY_NODE_COUNT } from "../../base/config/limits.ts";
import type { NodeFailure } from "../../base/errors/facts.ts";
import { type Operation, type OptionSchema, resolveOptions } from "../../base/operation.ts";
import { checkCid } from "../../formats/cid/check-cid.ts";
import {
  createShardFetcher,
  type FetchShardsOptions,
  fetchShardsSchema,
  type RecoveredShard,
} from "./shard-fetcher.ts";

/** Options of {@link kavachRecoverShards}. */
export type RecoverShardsOptions = FetchShardsOptions & {
  /** How many shards to fetch, 2 to 5. @default 3; with more, recovering the key can check them */
  count?: number | undefined;
};

const schema = {
  ...fetchShardsSchema,
  count: wholeNumber(DEFAULT_THRESHOLD, 2, KEY_NODE_COUNT),
} satisfies OptionSchema<RecoverShardsOptions>;

/** Result of {@link kavachRecoverShards}. */
export interface RecoveredShards {
  /** As many as `count`, which is at least two; they are secrets. */
  shards: [RecoveredShard, RecoveredShard, ...RecoveredShard[]];
  /** Nodes that were queried and returned no shard. */
  failures: NodeFailure[];
}

export const kavachRecoverShardsOperation = { options: schema } satisfies Operation<RecoverShardsOptions>;

/**
 * Fetches shards of a file's key from random key nodes, as many as are needed. If a node fails, the remaining nodes are
 * queried, so that any three good nodes are enough. With `pacing: "parallel"` all nodes are queried at once, and the
 * first shards that arrive are returned.
 *
 * @throws `INVALID_CID`, `MISSING_OWNER`, `INVALID_OPTION`; `CID_NOT_FOUND` if the nodes do not know the
 * file; `NODE_REFUSED` with the nodes' message if they refuse; `NODES_FAILED` if too few could be reached
 */
export async function kavachRecoverShards(cid: string, options: RecoverShardsOptions): Promise<RecoveredShards> {
  cid = checkCid(cid);
  const { count, ...call } = resolveOptions(schema, options);
  const fetcher = await createShardFetcher(cid, call);
  try {
    await fetcher.fetch(count);
  } finally {
    fetcher.close();
  }
  return { shards: fetcher.shards.slice(0, count) as RecoveredShards["shards"], failures: fetcher.failures };
}
