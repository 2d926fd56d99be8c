import { deriveSignal, throwIfAborted, wait } from "../../base/async/abort.ts";
import { DEFAULT_THRESHOLD, KEY_NODE_COUNT } from "../../base/config/limits.ts";
import { isKeeplightError, type KeeplightError, withDetails } from "../../base/errors/base.ts";
import type { NodeFailure } from "../../base/errors/details/input-and-requests.ts";
import { cidNotFound, nodesFailed } from "../../base/errors/nodes.ts";
import { invalidResponse } from "../../base/errors/transport.ts";
import {
  json,
  type Operation,
  type OptionSchema,
  optional,
  type Resolved,
  resolveOptions,
  wholeNumber,
} from "../../base/operation.ts";
import { checkAddress } from "../../base/validation/address.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import { type OwnerCallOptions, ownerCallSchema, resolveOwner } from "../auth/owner.ts";
import { ALL_NODES, shareSignIn, toNodeFailure } from "../nodes/call-nodes.ts";
import { type KeyNodes, type NodeAuth, openKeyNodes, requestNode } from "../nodes/node-client.ts";
import type { KeyShard } from "../shards/schemes.ts";
import { isKeyShard } from "../shards/schemes.ts";

/** What a request for a shard may hold besides the file and the requesting address. */
export interface ShardRequestOptions {
  /** Values that the file's access conditions require, by their names. @default none */
  dynamicData?: Readonly<Record<string, unknown>> | undefined;
  /** Address of the file's owner, whose delegate requests the key. See {@link kavachSetDelegates}. @default none */
  ownerAddress?: string | undefined;
}

export const shardRequestSchema = {
  dynamicData: json<Readonly<Record<string, unknown>>>(),
  ownerAddress: optional((value) => checkAddress(value)),
} satisfies OptionSchema<ShardRequestOptions>;

export type ShardRequest = Partial<Resolved<typeof shardRequestSchema>>;

/** Fetches one node's shard, which is well-formed; throws `CID_NOT_FOUND` if the node has none. */
export async function retrieveShard(
  nodes: KeyNodes,
  auth: NodeAuth,
  node: number,
  cid: string,
  { dynamicData = {}, ownerAddress }: ShardRequest = {},
): Promise<KeyShard> {
  const path = `/api/retrieveSharedKey/${node}`;
  const json = { address: auth.address, cid, dynamicData, ownerAddress };
  const response = await requestNode(nodes, { method: "POST", path, json, node }, auth);
  // Some nodes return the shard itself.
  const { payload = response } = (response ?? {}) as { payload?: unknown };
  if (payload === null || payload === undefined) throw cidNotFound(cid);
  if (!isKeyShard(payload)) {
    throw invalidResponse({ method: "POST", url: path, node }, `key node ${node} returned no key shard`);
  }
  return { key: payload.key, index: payload.index };
}

/** Options of calls that fetch key shards. */
export type FetchShardsOptions = OwnerCallOptions & ShardRequestOptions;

export const fetchShardsSchema = {
  ...ownerCallSchema,
  ...shardRequestSchema,
} satisfies OptionSchema<FetchShardsOptions>;

/** A shard and the node that returned it. */
export interface RecoveredShard extends KeyShard {
  /** 1 to 5. */
  node: number;
}

/**
 * Prepares fetching a file's shards, as many as are needed, and never one from a node twice: one after another from random
 * nodes, or from all at once, in which case those that arrive first are used. Nothing is sent yet. It has to be closed.
 */
export async function createShardFetcher(cid: string, options: Resolved<typeof fetchShardsSchema>) {
  cid = checkCid(cid);
  const nodes = openKeyNodes(options);
  const auth = shareSignIn(nodes, await resolveOwner(options, nodes));
  const shards: RecoveredShard[] = [];
  const failures: NodeFailure[] = [];
  const remaining = shuffleNodes();
  const pending = new Set<Promise<void>>();
  let firstError: KeeplightError | undefined;
  let life: ReturnType<typeof deriveSignal> | undefined;

  /** Queries the next node, or all at once, and waits for the next response; returns false if there is none to come. */
  async function fetchNext(): Promise<boolean> {
    const { pacing, pauseMs, call } = nodes;
    const isFirst = remaining.length === ALL_NODES.length;
    if (!isFirst && remaining.length > 0) await wait(pauseMs, call.signal);
    throwIfAborted(call.signal);
    life ??= deriveSignal(call.signal);
    for (const node of remaining.splice(0, pacing === "parallel" ? remaining.length : 1)) {
      const waiting = query(node, life.signal).finally(() => pending.delete(waiting));
      // It may fail while nothing waits for it.
      waiting.catch(() => undefined);
      pending.add(waiting);
    }
    if (pending.size === 0) return false;
    await Promise.race(pending);
    return true;
  }

  async function query(node: number, signal: AbortSignal): Promise<void> {
    try {
      const shard = await retrieveShard({ ...nodes, call: { ...nodes.call, signal } }, auth, node, cid, options);
      shards.push({ node, ...shard });
    } catch (error) {
      if (!isKeeplightError(error) || error.code === "ABORTED") throw error;
      firstError ??= error;
      failures.push(toNodeFailure({ node, error }));
    }
  }

  /** The error that most nodes have in common, or else one that lists them. */
  function tooFewShards(needed: number): KeeplightError {
    const isFirst = ({ code, message }: NodeFailure) => code === firstError?.code && message === firstError.message;
    if (failures.length > shards.length && failures.every(isFirst)) {
      if (isKeeplightError(firstError, "NODE_REFUSED"))
        return withDetails(firstError, { ...firstError.details, nodes: failures });
      if (firstError?.code === "CID_NOT_FOUND") return cidNotFound(cid, failures);
    }
    return nodesFailed(needed, shards.length, failures, firstError);
  }

  return {
    /** The shards fetched so far, in the order of their arrival: of nodes that are called at once, possibly more than needed. */
    shards,
    /** The nodes that were queried and returned no shard. */
    failures,
    /** Signs in. A failed sign-in is no node's failure. */
    async signIn(): Promise<void> {
      await auth.token();
    },
    /**
     * Fetches until there are `count` shards; throws as soon as the remaining nodes cannot make up for the failures. Of more
     * shards than open a file, those that do come first: if they are there, the others' absence says nothing about the file.
     */
    async fetch(count: number): Promise<void> {
      await auth.token();
      for (const needed of [Math.min(count, DEFAULT_THRESHOLD), count]) {
        while (shards.length < needed) {
          const enoughLeft = shards.length + remaining.length + pending.size >= needed;
          if (!enoughLeft || !(await fetchNext())) throw tooFewShards(needed);
        }
      }
    },
    /** Fetches the shards of all nodes that return one. */
    async fetchAll(): Promise<void> {
      while (await fetchNext());
    },
    /** Ends the requests that are still in flight. */
    close(): void {
      life?.end();
    },
  };
}

export type ShardFetcher = Awaited<ReturnType<typeof createShardFetcher>>;

/** Returns all nodes in random order, so that they share the load. */
function shuffleNodes(): number[] {
  const random = crypto.getRandomValues(new Uint32Array(ALL_NODES.length));
  return [...ALL_NODES].sort((a, b) => (random[a - 1] ?? 0) - (random[b - 1] ?? 0));
}

/** Options of {@link kavachRecoverShards}. */
export type RecoverShardsOptions = FetchShardsOptions & {
  /** How many shards to fetch, 2 to 5. @default 3; with more, recovering the key can check them */
  count?: number | undefined;
};

/** Result of {@link kavachRecoverShards}. */
export interface RecoveredShards {
  /** As many as `count`, which is at least two; they are secrets. */
  shards: [RecoveredShard, RecoveredShard, ...RecoveredShard[]];
  /** Nodes that were queried and returned no shard. */
  failures: NodeFailure[];
}

export const kavachRecoverShardsOperation = {
  options: { ...fetchShardsSchema, count: wholeNumber(DEFAULT_THRESHOLD, 2, KEY_NODE_COUNT) },
} satisfies Operation<RecoverShardsOptions>;

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
  const { count, ...call } = resolveOptions(kavachRecoverShardsOperation.options, options);
  const fetcher = await createShardFetcher(cid, call);
  try {
    await fetcher.fetch(count);
  } finally {
    fetcher.close();
  }
  return { shards: fetcher.shards.slice(0, count) as RecoveredShards["shards"], failures: fetcher.failures };
}
