import { DEFAULT_THRESHOLD, KEY_NODE_COUNT } from "../../base/config/limits.ts";
import type { NodeFailure } from "../../base/errors/details/input-and-requests.ts";
import { cannotRecoverKey } from "../../base/errors/nodes.ts";
import { commitmentMismatch } from "../../base/errors/verification.ts";
import { boolean, type OptionSchema, type Resolved, wholeNumber } from "../../base/operation.ts";
import { checkCommitment, computeCommitment } from "../../formats/crypto/commitment.ts";
import {
  findAgreedKey,
  findFaultyShards,
  ignoreCombineError,
  kavachRecoverKey,
  keyCandidates,
} from "../shards/recover.ts";
import { createShardFetcher, type FetchShardsOptions, fetchShardsSchema, type ShardFetcher } from "./recover-shards.ts";

/** How the key nodes behaved while a file's key was recovered. */
export interface KeyReport {
  /** Nodes that returned a shard: at least two. */
  nodes: [number, number, ...number[]];
  /** Nodes that were queried and returned none. */
  failures: NodeFailure[];
  /** Nodes whose shard does not belong to the key. Empty if the first shards yielded the right key. */
  faultyNodes: number[];
}

/** Options of recovering a file's key. */
export type RecoverFileKeyOptions = FetchShardsOptions & {
  /**
   * How many shards recover the key, 2 to 5: so many are fetched first.
   *
   * @default 3, which also opens files that need more, after querying all nodes
   */
  threshold?: number | undefined;
};

export const recoverFileKeySchema = {
  ...fetchShardsSchema,
  threshold: wholeNumber(DEFAULT_THRESHOLD, 2, KEY_NODE_COUNT),
} satisfies OptionSchema<RecoverFileKeyOptions>;

/** What has to prove a file's key besides the file. */
export interface KeyProofOptions {
  /**
   * Accept the key only if four shards agree on it (one more than `threshold`), which excludes every faulty key node
   * that was queried. `threshold` is at most 4 then.
   *
   * @default false
   */
  strict?: boolean | undefined;
  /**
   * Accept only the key that {@link commitToKey} returns this for.
   *
   * @default none
   */
  commitment?: string | undefined;
}

export const keyProofSchema = {
  strict: boolean(false),
  commitment(value) {
    checkCommitment(value);
    return value as string | undefined;
  },
} satisfies OptionSchema<KeyProofOptions>;

/** The search for a file's key, which only the file itself can confirm. */
export type KeySearch = Awaited<ReturnType<typeof searchFileKey>>;

/**
 * Searches for the key of one file, which `proof` may restrict. Shards alone cannot reveal a wrong key: if the file's
 * tag rejects the key of the first shards, all nodes are queried, and every key that their shards may stand for is
 * yielded. So a faulty node does no harm, and files open that need more shards than expected, as those of older
 * clients' faulty `shardKey` do.
 */
export async function searchFileKey(
  cid: string,
  options: Resolved<typeof recoverFileKeySchema>,
  { strict, commitment }: KeyProofOptions = {},
) {
  const { threshold } = options;
  if (strict) wholeNumber(DEFAULT_THRESHOLD, 2, KEY_NODE_COUNT - 1)(threshold, "threshold");
  const fetcher = await createShardFetcher(cid, options);
  return {
    /** Signs in, before anything else is done for an owner who cannot. */
    signIn: fetcher.signIn,
    /** Yields keys to try on the file, the likeliest first; the first one takes as few responses as possible. */
    async *keys(): AsyncGenerator<string> {
      try {
        const keys = strict ? searchAgreedKey(fetcher, threshold) : searchKeys(fetcher, threshold);
        yield* commitment === undefined ? keys : findCommittedKey(cid, keys, commitment);
      } finally {
        fetcher.close();
      }
    },
    /** Reports how the nodes behaved, once a key has proved right. */
    async report(key: string): Promise<KeyReport> {
      const { shards, failures } = fetcher;
      const positions = await findFaultyShards(key, shards, threshold);
      return {
        nodes: shards.map(({ node }) => node) as KeyReport["nodes"],
        failures,
        faultyNodes: positions.flatMap((position) => shards[position]?.node ?? []),
      };
    },
  };
}

async function* searchKeys(fetcher: ShardFetcher, threshold: number): AsyncGenerator<string> {
  await fetcher.fetch(threshold);
  const { shards } = fetcher;
  // Of nodes that are called at once, more may have responded.
  const first = shards.slice(0, threshold);
  const firstKey = (await ignoreCombineError(kavachRecoverKey(first, { threshold })))?.masterKey;
  if (firstKey !== undefined) yield firstKey;
  await fetcher.fetchAll();
  const candidates = await keyCandidates(shards, threshold);
  if (firstKey === undefined && candidates.length === 0) {
    const reason = "the shards do not belong together";
    throw cannotRecoverKey({ needed: threshold, got: shards.length, reason });
  }
  for (const key of candidates) if (key !== firstKey) yield key;
}

/** Yields the key that `threshold` + 1 shards agree on. All nodes are queried only if the first so many disagree. */
async function* searchAgreedKey(fetcher: ShardFetcher, threshold: number): AsyncGenerator<string> {
  const needed = threshold + 1;
  // First those that open the file: whether they are there decides what the absence of another one means.
  await fetcher.fetch(threshold);
  await fetcher.fetch(needed);
  const { shards } = fetcher;
  let key = await findAgreedKey(shards, threshold);
  if (key === undefined) {
    await fetcher.fetchAll();
    key = await findAgreedKey(shards, threshold);
  }
  if (key !== undefined) yield key;
  else throw cannotRecoverKey({ needed, got: shards.length, reason: `fewer than ${needed} shards agree` });
}

/** Yields the committed one of the keys; throws `COMMITMENT_MISMATCH` if there is none. */
async function* findCommittedKey(
  cid: string,
  keys: AsyncGenerator<string>,
  commitment: string,
): AsyncGenerator<string> {
  for await (const key of keys) {
    if ((await computeCommitment(cid, key)) !== commitment) continue;
    yield key;
    return;
  }
  throw commitmentMismatch(cid);
}
