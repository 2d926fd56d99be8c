import { wait } from "../../async/abort.ts";
import { DEFAULT_THRESHOLD, KEY_NODE_COUNT } from "../../config/limits.ts";
import { isKeeplightError, type KeeplightError } from "../../errors/base.ts";
import type { NodeFailure } from "../../errors/facts.ts";
import { cidNotFound, nodesFailed, refusedByAll } from "../../errors/nodes.ts";
import { invalidResponse } from "../../errors/transport.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { checkCid } from "../../validation/cid.ts";
import { wholeNumber } from "../../validation/number.ts";
import { resolveOwner } from "../auth/owner.ts";
import { type KeyNodes, type NodeAuth, requestNode, resolveKeyNodes } from "../nodes/node-client.ts";
import { type OwnerCallOptions, ownerCallNames } from "../nodes/run-on-all-nodes.ts";
import { isKeyShard } from "../shards/read-shards.ts";
import type { KeyShard } from "../shards/sharing.ts";

/** Options of calls that fetch key shards. */
export type FetchShardsOptions = OwnerCallOptions & {
  /** Values that the file's access conditions ask for, by their names. Default none. */
  dynamicData?: Readonly<Record<string, unknown>> | undefined;
};

export const fetchShardsNames = [ownerCallNames, "dynamicData"] as const;

/** Options of {@link kavachRecoverShards}. */
export type RecoverShardsOptions = FetchShardsOptions & {
  /** How many shards to fetch, 2 to 5. Default 3; with more, recovering the key can check them. */
  count?: number | undefined;
};

export const recoverShardsNames = [fetchShardsNames, "count"] as const;

/** A shard and the node it came from. */
export interface RecoveredShard extends KeyShard {
  /** 1 to 5. */
  node: number;
}

/** What the key nodes gave. */
export interface RecoveredShards {
  /** As many as the threshold; they are secrets. */
  shards: RecoveredShard[];
  /** Nodes that were asked and gave no shard. */
  failures: NodeFailure[];
}

/**
 * Fetches shards of a file's key from as many random key nodes as are needed. Where a node fails, those
 * not yet asked are asked, so that any three good nodes are enough.
 *
 * @throws `INVALID_CID`, `MISSING_OWNER`, `INVALID_OPTION`; `CID_NOT_FOUND` if the nodes do not know the
 * file; `NODE_REFUSED` in the nodes' words if they refuse; `NODES_FAILED` if too few could be reached
 */
export async function kavachRecoverShards(cid: string, options: RecoverShardsOptions = {}): Promise<RecoveredShards> {
  checkOptions(options, recoverShardsNames);
  const count = wholeNumber("count", options.count, DEFAULT_THRESHOLD, 2, KEY_NODE_COUNT);
  const fetcher = await createShardFetcher(cid, options);
  const shards = await fetcher.take(count);
  return { shards, failures: fetcher.failures };
}

/** Fetches a file's shards as far as they are needed, and never asks a node twice. */
export interface ShardFetcher {
  /** At least `count` shards, in the order in which they came. */
  take(count: number): Promise<RecoveredShard[]>;
  /** The shards of all nodes that give one. */
  takeAll(): Promise<RecoveredShard[]>;
  failures: NodeFailure[];
}

/** Prepares fetching the shards of one file; nothing is sent yet. */
export async function createShardFetcher(cid: string, options: FetchShardsOptions): Promise<ShardFetcher> {
  cid = checkCid(cid);
  const nodes = resolveKeyNodes(options);
  const auth = await resolveOwner(options, nodes);
  const notAsked = shuffledNodes();
  const shards: RecoveredShard[] = [];
  const failures: NodeFailure[] = [];
  const errors: KeeplightError[] = [];

  /** Asks the next node; false if there is none. */
  async function askNext(): Promise<boolean> {
    const node = notAsked.shift();
    if (node === undefined) return false;
    if (shards.length + failures.length > 0) await wait(nodes.pauseMs, nodes.call.signal);
    try {
      shards.push({ node, ...(await retrieveShard(nodes, auth, node, cid, options.dynamicData ?? {})) });
    } catch (error) {
      if (!isKeeplightError(error) || error.code === "ABORTED") throw error;
      errors.push(error);
      failures.push({ node, code: error.code, message: error.message });
    }
    return true;
  }

  return {
    failures,
    async take(count) {
      await auth.token();
      while (shards.length < count) {
        const enoughLeft = shards.length + notAsked.length >= count;
        if (!enoughLeft || !(await askNext())) throw tooFew(cid, count, shards.length, failures, errors);
      }
      return shards;
    },
    async takeAll() {
      while (await askNext());
      return shards;
    },
  };
}

/** Fetches one node's shard, which has the right form; throws `CID_NOT_FOUND` where the node has none. */
export async function retrieveShard(
  nodes: KeyNodes,
  auth: NodeAuth,
  node: number,
  cid: string,
  dynamicData: Readonly<Record<string, unknown>>,
): Promise<KeyShard> {
  const path = `/api/retrieveSharedKey/${node}`;
  const json = { address: auth.address, cid, dynamicData };
  const answer = await requestNode(nodes, { method: "POST", path, json, node }, auth);
  const payload = typeof answer === "object" && answer !== null && "payload" in answer ? answer.payload : answer;
  if (payload === null || payload === undefined) throw cidNotFound(cid);
  if (!isKeyShard(payload)) {
    throw invalidResponse({ method: "POST", url: path, node }, `key node ${node} answered no key shard`);
  }
  return { key: payload.key, index: payload.index };
}

/** What all failures say in common, or else all of them. */
function tooFew(
  cid: string,
  needed: number,
  got: number,
  failures: readonly NodeFailure[],
  errors: readonly KeeplightError[],
): KeeplightError {
  const [first] = errors;
  if (first && errors.every(({ code, message }) => code === first.code && message === first.message)) {
    if (first.code === "CID_NOT_FOUND") return cidNotFound(cid, failures);
    if (isKeeplightError(first, "NODE_REFUSED")) return refusedByAll(first, failures);
  }
  return nodesFailed(needed, got, failures, first);
}

/** All nodes in an order that is drawn anew each time, so that they share the load. */
function shuffledNodes(): number[] {
  const order = Array.from({ length: KEY_NODE_COUNT }, (_, index) => index + 1);
  const random = crypto.getRandomValues(new Uint32Array(order.length));
  return order.sort((a, b) => (random[a - 1] ?? 0) - (random[b - 1] ?? 0));
}
