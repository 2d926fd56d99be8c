import { deriveSignal, throwIfAborted, wait } from "../../base/async/abort.ts";
import { DEFAULT_THRESHOLD, KEY_NODE_COUNT } from "../../base/config/limits.ts";
import { isKeeplightError, type KeeplightError } from "../../base/errors/base.ts";
import type { NodeFailure } from "../../base/errors/details/input-and-requests.ts";
import { cidNotFound, nodesFailed, refusedByAll } from "../../base/errors/nodes.ts";
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
import { isKeyShard } from "../shards/schemes.ts";
import type { KeyShard } from "../shards/sharing.ts";

/** What a request for a shard may hold besides the file and the requesting address. */
export interface ShardRequestOptions {
  /** Values that the file's access conditions require, by their names. @default none */
  dynamicData?: Readonly<Record<string, unknown>> | undefined;
  /** Address of the file's owner, whose delegate requests the key. See {@link kavachSetDelegates}. @default none */
  ownerAddress?: string | undefined;
}

/** Checks {@link ShardRequestOptions}. */
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

/** Checks {@link FetchShardsOptions}. */
export const fetchShardsSchema = {
  ...ownerCallSchema,
  ...shardRequestSchema,
} satisfies OptionSchema<FetchShardsOptions>;

/** A shard and the node that returned it. */
export interface RecoveredShard extends KeyShard {
  /** 1 to 5. */
  node: number;
}

/** Prepares fetching the shards of one file; nothing is sent yet. */
export async function createShardFetcher(cid: string, options: Resolved<typeof fetchShardsSchema>) {
  cid = checkCid(cid);
  const nodes = openKeyNodes(options);
  return new ShardFetcher(cid, nodes, await resolveOwner(options, nodes), options);
}

/**
 * Fetches a file's shards, as many as are needed, and never requests one from a node twice: one after another from random
 * nodes, or from all at once, in which case those that arrive first are used. It has to be closed.
 */
export class ShardFetcher {
  /** The shards fetched so far, in the order of their arrival: of nodes that are called at once, possibly more than needed. */
  readonly shards: RecoveredShard[] = [];
  /** The nodes that were queried and returned no shard. */
  readonly failures: NodeFailure[] = [];

  readonly #cid: string;
  readonly #nodes: KeyNodes;
  readonly #auth: NodeAuth;
  readonly #request: ShardRequest;
  /** In random order, so that the nodes share the load. */
  readonly #remaining = shuffleNodes();
  readonly #pending = new Set<Promise<void>>();
  #firstError: KeeplightError | undefined;
  /** Of the requests that are sent at once. */
  #life: ReturnType<typeof deriveSignal> | undefined;

  constructor(cid: string, nodes: KeyNodes, auth: NodeAuth, request: ShardRequest) {
    this.#cid = cid;
    this.#nodes = nodes;
    this.#auth = shareSignIn(nodes, auth);
    this.#request = request;
  }

  /** Signs in. A failed sign-in is no node's failure. */
  async signIn(): Promise<void> {
    await this.#auth.token();
  }

  /**
   * Fetches until there are `count` shards; throws as soon as the remaining nodes cannot make up for the failures. Of more
   * shards than open a file, those that do come first: if they are there, the others' absence says nothing about the file.
   */
  async fetch(count: number): Promise<void> {
    await this.signIn();
    for (const needed of [Math.min(count, DEFAULT_THRESHOLD), count]) {
      while (this.shards.length < needed) {
        const enoughLeft = this.shards.length + this.#remaining.length + this.#pending.size >= needed;
        if (!enoughLeft || !(await this.#fetchNext())) throw this.#tooFewShards(needed);
      }
    }
  }

  /** Fetches the shards of all nodes that return one. */
  async fetchAll(): Promise<void> {
    while (await this.#fetchNext());
  }

  /** Ends the requests that are still in flight. */
  close(): void {
    this.#life?.end();
  }

  /** Waits for the next response; returns false if there is none to come. */
  async #fetchNext(): Promise<boolean> {
    const { pacing, pauseMs, call } = this.#nodes;
    if (pacing === "parallel") return this.#awaitNext();
    const node = this.#remaining.shift();
    if (node === undefined) return false;
    if (this.shards.length + this.failures.length > 0) await wait(pauseMs, call.signal);
    await this.#query(node, call.signal);
    return true;
  }

  /** Queries all nodes at once, and waits for the next response. */
  async #awaitNext(): Promise<boolean> {
    const { signal } = this.#nodes.call;
    throwIfAborted(signal);
    this.#life ??= deriveSignal(signal);
    for (const node of this.#remaining.splice(0)) {
      const query = this.#query(node, this.#life.signal).finally(() => this.#pending.delete(query));
      // It may fail while nothing waits for it.
      query.catch(() => undefined);
      this.#pending.add(query);
    }
    if (this.#pending.size === 0) return false;
    await Promise.race(this.#pending);
    return true;
  }

  async #query(node: number, signal: AbortSignal | undefined): Promise<void> {
    const nodes = { ...this.#nodes, call: { ...this.#nodes.call, signal } };
    try {
      const shard = await retrieveShard(nodes, this.#auth, node, this.#cid, this.#request);
      this.shards.push({ node, ...shard });
    } catch (error) {
      if (!isKeeplightError(error) || error.code === "ABORTED") throw error;
      this.#firstError ??= error;
      this.failures.push(toNodeFailure({ node, error }));
    }
  }

  /** The error that most nodes have in common, or else one that lists them. */
  #tooFewShards(needed: number): KeeplightError {
    const { failures, shards } = this;
    const first = this.#firstError;
    const isFirst = ({ code, message }: NodeFailure) => code === first?.code && message === first.message;
    if (failures.length > shards.length && failures.every(isFirst)) {
      if (isKeeplightError(first, "NODE_REFUSED")) return refusedByAll(first, failures);
      if (first?.code === "CID_NOT_FOUND") return cidNotFound(this.#cid, failures);
    }
    return nodesFailed(needed, shards.length, failures, first);
  }
}

function shuffleNodes(): number[] {
  const random = crypto.getRandomValues(new Uint32Array(ALL_NODES.length));
  return [...ALL_NODES].sort((a, b) => (random[a - 1] ?? 0) - (random[b - 1] ?? 0));
}

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
