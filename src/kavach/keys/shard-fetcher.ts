import { wait } from "../../async/abort.ts";
import { isKeeplightError, type KeeplightError } from "../../errors/base.ts";
import type { NodeFailure } from "../../errors/facts.ts";
import { cidNotFound, nodesFailed, refusedByAll } from "../../errors/nodes.ts";
import { checkCid } from "../../validation/cid.ts";
import { resolveOwner } from "../auth/owner.ts";
import { ALL_NODES } from "../nodes/call-nodes-in-order.ts";
import { type KeyNodes, type NodeAuth, resolveKeyNodes } from "../nodes/node-client.ts";
import { type OwnerCallOptions, ownerCallNames } from "../nodes/run-on-all-nodes.ts";
import type { KeyShard } from "../shards/sharing.ts";
import { type DynamicData, retrieveShard } from "./retrieve-shard.ts";

/** Options of calls that fetch key shards. */
export type FetchShardsOptions = OwnerCallOptions & {
  /** Values that the file's access conditions require, by their names. Default none. */
  dynamicData?: DynamicData | undefined;
};

export const fetchShardsNames = [ownerCallNames, "dynamicData"] as const;

/** A shard and the node that returned it. */
export interface RecoveredShard extends KeyShard {
  /** 1 to 5. */
  node: number;
}

/** Prepares fetching the shards of one file; nothing is sent yet. */
export async function createShardFetcher(cid: string, options: FetchShardsOptions): Promise<ShardFetcher> {
  cid = checkCid(cid);
  const nodes = resolveKeyNodes(options);
  return new ShardFetcher(cid, nodes, await resolveOwner(options, nodes), options.dynamicData);
}

/** Fetches a file's shards from random nodes, as many as are needed, and never requests one from a node twice. */
export class ShardFetcher {
  /** The shards fetched so far, in the order of their arrival. */
  readonly shards: RecoveredShard[] = [];
  /** The nodes that were queried and returned no shard. */
  readonly failures: NodeFailure[] = [];

  readonly #cid: string;
  readonly #nodes: KeyNodes;
  readonly #auth: NodeAuth;
  readonly #dynamicData: DynamicData | undefined;
  readonly #remaining = shuffleNodes();
  readonly #errors: KeeplightError[] = [];

  constructor(cid: string, nodes: KeyNodes, auth: NodeAuth, dynamicData: DynamicData | undefined) {
    this.#cid = cid;
    this.#nodes = nodes;
    this.#auth = auth;
    this.#dynamicData = dynamicData;
  }

  /** Fetches until there are `count` shards; throws as soon as the remaining nodes cannot make up for the failures. */
  async fetch(count: number): Promise<void> {
    // A failed sign-in is no node's failure.
    await this.#auth.token();
    while (this.shards.length < count) {
      const enoughLeft = this.shards.length + this.#remaining.length >= count;
      if (!enoughLeft || !(await this.#fetchNext())) throw this.#tooFewShards(count);
    }
  }

  /** Fetches the shards of all nodes that return one. */
  async fetchAll(): Promise<void> {
    while (await this.#fetchNext());
  }

  /** Queries the next node; returns false if there is none. */
  async #fetchNext(): Promise<boolean> {
    const node = this.#remaining.shift();
    if (node === undefined) return false;
    const { pauseMs, call } = this.#nodes;
    if (this.shards.length + this.failures.length > 0) await wait(pauseMs, call.signal);
    try {
      const shard = await retrieveShard(this.#nodes, this.#auth, node, this.#cid, this.#dynamicData);
      this.shards.push({ node, ...shard });
    } catch (error) {
      if (!isKeeplightError(error) || error.code === "ABORTED") throw error;
      this.#errors.push(error);
      this.failures.push({ node, code: error.code, message: error.message });
    }
    return true;
  }

  /** The error that all failures have in common, or else one that lists them. */
  #tooFewShards(needed: number): KeeplightError {
    const { failures } = this;
    const [first] = this.#errors;
    if (first && this.#errors.every(({ code, message }) => code === first.code && message === first.message)) {
      if (first.code === "CID_NOT_FOUND") return cidNotFound(this.#cid, failures);
      if (isKeeplightError(first, "NODE_REFUSED")) return refusedByAll(first, failures);
    }
    return nodesFailed(needed, this.shards.length, failures, first);
  }
}

/** Returns all nodes in random order, so that they share the load. */
function shuffleNodes(): number[] {
  const random = crypto.getRandomValues(new Uint32Array(ALL_NODES.length));
  return [...ALL_NODES].sort((a, b) => (random[a - 1] ?? 0) - (random[b - 1] ?? 0));
}
