import { DEFAULT_THRESHOLD, KEY_NODE_COUNT } from "../../config/limits.ts";
import { isKeeplightError, type KeeplightError } from "../../errors/base.ts";
import type { NodeFailure } from "../../errors/facts.ts";
import { cannotRecoverKey } from "../../errors/nodes.ts";
import { wholeNumber } from "../../validation/number.ts";
import { findFaultyShards, keyCandidates } from "../shards/candidates.ts";
import { kavachRecoverKey } from "../shards/recover.ts";
import type { KeyShard } from "../shards/sharing.ts";
import { createShardFetcher, type FetchShardsOptions, fetchShardsNames } from "./recover-shards.ts";

/** How the key nodes did while a file's key was recovered. */
export interface KeyReport {
  /** Nodes that gave a shard. */
  nodes: number[];
  /** Nodes that were asked and gave none. */
  failures: NodeFailure[];
  /** Nodes whose shard does not belong to the key. Where the first shards gave the right key, none is. */
  faultyNodes: number[];
}

/** Options of recovering a file's key. */
export type RecoverFileKeyOptions = FetchShardsOptions & {
  /**
   * How many shards give the key back, 2 to 5: so many are fetched first. Default 3, which opens files that
   * take more as well, after asking all nodes.
   */
  threshold?: number | undefined;
};

export const recoverFileKeyNames = [fetchShardsNames, "threshold"] as const;

/** A file's key, as good as the shards tell without the file. */
export interface KeySearch {
  /** Keys to try on the file, the likeliest first; the first one costs as few requests as can be. */
  keys(): AsyncGenerator<string>;
  /** How the nodes did, once a key has proved right. */
  report(key: string): Promise<KeyReport>;
}

/**
 * Looks for the key of one file. Shards alone cannot tell a wrong key: where the file's tag refuses the
 * key of the first shards, all nodes are asked, and every key that their shards may stand for is given.
 * So a lying node does no harm, and files open that take more shards than was said, as those of older
 * clients' faulty `shardKey` do.
 */
export async function searchFileKey(cid: string, options: RecoverFileKeyOptions): Promise<KeySearch> {
  const threshold = wholeNumber("threshold", options.threshold, DEFAULT_THRESHOLD, 2, KEY_NODE_COUNT);
  const shards = await createShardFetcher(cid, options);

  async function* keys(): AsyncGenerator<string> {
    const tried = new Set<string>();
    const firstKey = await keyOrUndefined(await shards.take(threshold), threshold);
    if (firstKey !== undefined) {
      tried.add(firstKey);
      yield firstKey;
    }
    const all = await shards.takeAll();
    const candidates = (await keyCandidates(all, threshold)).filter((key) => !tried.has(key));
    if (firstKey === undefined && candidates.length === 0) {
      throw cannotRecoverKey({ needed: threshold, got: all.length, reason: "the shards do not belong together" });
    }
    yield* candidates;
  }

  return {
    keys,
    async report(key) {
      const given = await shards.take(0);
      return {
        nodes: given.map(({ node }) => node),
        failures: shards.failures,
        faultyNodes: (await findFaultyShards(key, given, threshold)).flatMap((at) => given[at]?.node ?? []),
      };
    },
  };
}

async function keyOrUndefined(shards: readonly KeyShard[], threshold: number): Promise<string | undefined> {
  try {
    return (await kavachRecoverKey(shards, { threshold })).masterKey;
  } catch (error) {
    if (isUnfit(error)) return undefined;
    throw error;
  }
}

function isUnfit(error: unknown): error is KeeplightError {
  return isKeeplightError(error) && (error.code === "CANNOT_RECOVER_KEY" || error.code === "INVALID_SHARDS");
}
