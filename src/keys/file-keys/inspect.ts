import { isKeeplightError, type KeeplightError } from "../../base/errors/base.ts";
import type { NodeFailure } from "../../base/errors/details/input-and-requests.ts";
import { isNodeFault } from "../../base/errors/nodes.ts";
import { type Operation, type Resolved, resolveOptions } from "../../base/operation.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import { fetchAccessConditions, hasConditions } from "../access/get-access-conditions.ts";
import { type ownerCallSchema, resolveOwner } from "../auth/owner.ts";
import { ALL_NODES, mapNodes, type PerNode, shareSignIn, toNodeFailure } from "../nodes/call-nodes.ts";
import { type KeyNodes, type NodeAuth, openKeyNodes } from "../nodes/node-client.ts";
import { findAgreedKey, findFaultyShards, kavachRecoverKey } from "../shards/recover.ts";
import type { KeyShard } from "../shards/schemes.ts";
import { type RecoverFileKeyOptions, recoverFileKeySchema } from "./recover-file-key.ts";
import { retrieveShard, type ShardRequest } from "./recover-shards.ts";

/** Options of {@link kavachInspect}. */
export type InspectOptions = RecoverFileKeyOptions;

/**
 * What a key node has of a file's key:
 * - `holds`: it returned a shard
 * - `missing`: it does not know the file
 * - `refused`: it denies this address its shard
 * - `failed`: it could not be queried, or its response was invalid
 */
export type NodeState = "holds" | "missing" | "refused" | "failed";

/** One key node's part in {@link KeyHealth}. */
export interface NodeHealth {
  /** 1 to 5. */
  node: number;
  /** What it has of the file's key. */
  state: NodeState;
  /** Whether its shard belongs with the others. Absent if that cannot be determined. */
  agrees?: boolean;
  /** Its response instead of a shard. */
  failure?: NodeFailure;
}

/** How a file's key is kept. Contains no secret. */
export interface KeyHealth {
  /** Of the file. */
  cid: string;
  /**
   * All five nodes returned their shard to the requesting address, and all shards belong together: nothing is known to be
   * wrong with the key. It does not say that access is right: the nodes report one access list for all of them, so that a
   * share or revoke that reached only some nodes does not show to the owner. Repeat the call to complete it.
   */
  healthy: boolean;
  /** What comparing the shards shows: see {@link KeyState}. */
  key: KeyState;
  /**
   * Whether all nodes treat the requesting address identically: `different` if some return a shard and some refuse it,
   * `unknown` if fewer than two did either.
   */
  sharing: "same" | "different" | "unknown";
  /** Who may open the file, which the nodes report once for all of them. Absent if they do not report it. */
  access?: SharingInfo;
  /** All five, in order. */
  nodes: PerNode<NodeHealth>;
}

export const kavachInspectOperation = { options: recoverFileKeySchema } satisfies Operation<InspectOptions>;

/**
 * Requests the shards of a file's key from all five key nodes and reports how the key is kept: which nodes hold a
 * shard, whether the shards agree, and, as far as the network discloses it, whether sharing is the same everywhere.
 * Nothing is changed, and no shard is returned. This is the view of one address: a partial revocation shows only to the
 * addresses that it revokes.
 *
 * @param options - an owner, or an address that the file is shared to; `threshold` (default 3) is 4 for keys that
 * older clients' `shardKey` has split
 * @throws `INVALID_CID`, `MISSING_OWNER`, `INVALID_OPTION`, `INVALID_SIGNATURE`, `SIGNATURE_REJECTED`, `ABORTED`;
 * never because of a node
 *
 * @example
 * const { healthy, nodes } = await kavachInspect(cid, { signer });
 * if (!healthy) console.table(nodes);
 */
export async function kavachInspect(cid: string, options: InspectOptions): Promise<KeyHealth> {
  const resolved = resolveOptions(recoverFileKeySchema, options);
  const { responses, sharing: access } = await queryNodes(checkCid(cid), resolved);
  const { state: key, faultyNodes } = await compareShards(responses, resolved.threshold);
  const nodes = responses.map((response): NodeHealth => {
    const health = toNodeHealth(response);
    const isCompared = key === "recoverable" && health.state === "holds";
    return isCompared ? { ...health, agrees: !faultyNodes.includes(response.node) } : health;
  }) as PerNode<NodeHealth>;
  const sharing = compareSharing(nodes);
  return {
    cid,
    healthy: nodes.every(({ agrees }) => agrees === true) && sharing === "same",
    key,
    sharing,
    ...(access ? { access } : {}),
    nodes,
  };
}

/** Derives a node's state from its response alone, without comparing it with the others. */
export function toNodeHealth({ node, error }: NodeResponse): NodeHealth {
  if (!error) return { node, state: "holds" };
  const failure = toNodeFailure({ node, error });
  if (error.code === "CID_NOT_FOUND") return { node, state: "missing", failure };
  const status = Number(error.details["status"] ?? 0);
  return { node, state: error.code === "NODE_REFUSED" && status < 500 ? "refused" : "failed", failure };
}

function compareSharing(nodes: readonly NodeHealth[]): KeyHealth["sharing"] {
  const holding = nodes.filter(({ state }) => state === "holds").length;
  const refusing = nodes.filter(({ state }) => state === "refused").length;
  if (holding > 0 && refusing > 0) return "different";
  return holding + refusing < 2 ? "unknown" : "same";
}

/** One node's response to a request for its shard. */
export interface NodeResponse {
  node: number;
  shard?: KeyShard;
  /** Why there is none. */
  error?: KeeplightError;
}

/** Who may open a file, as the key nodes report it: once for all of them. */
export interface SharingInfo {
  /** Address; of an EVM owner in lower case. */
  owner: string;
  /** Addresses that may recover the key besides the owner. */
  sharedTo: string[];
  /** Whether there are access conditions. */
  hasConditions: boolean;
}

/** Everything that the key nodes report about one file. Contains secrets. */
export interface NodeQueries {
  nodes: KeyNodes;
  auth: NodeAuth;
  /** Of all five nodes, in order. */
  responses: NodeResponse[];
  /** Absent if the nodes do not report it. */
  sharing?: SharingInfo;
}

/**
 * Requests the shard of a file's key from every node, and from all of them who may open the file. A node that fails is
 * part of the result.
 *
 * @throws `MISSING_OWNER`, `INVALID_OPTION`, `INVALID_SIGNATURE`, `SIGNATURE_REJECTED`, `ABORTED`
 */
export async function queryNodes(
  cid: string,
  options: Resolved<typeof ownerCallSchema> & ShardRequest,
): Promise<NodeQueries> {
  const nodes = openKeyNodes(options);
  const auth = await resolveOwner(options, nodes);
  const { error: outage } = await catchNodeFault(auth.token());
  if (outage) return { nodes, auth, responses: ALL_NODES.map((node) => ({ node, error: outage })) };

  const shared = shareSignIn(nodes, auth);
  const responses = await mapNodes(nodes, ALL_NODES, async (node): Promise<NodeResponse> => {
    const { value: shard, error } = await catchNodeFault(retrieveShard(nodes, shared, node, cid, options));
    return error ? { node, error } : { node, shard };
  });
  const { value: access } = await catchNodeFault(fetchAccessConditions(cid, nodes));
  if (!access) return { nodes, auth, responses };
  const { owner, sharedTo } = access;
  return { nodes, auth, responses, sharing: { owner, sharedTo, hasConditions: hasConditions(access) } };
}

type Outcome<T> = { value: T; error?: undefined } | { error: KeeplightError; value?: undefined };

/** Returns a failure that is the nodes' fault instead of throwing it; every other failure is thrown. */
async function catchNodeFault<T>(work: Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await work };
  } catch (error) {
    if (isKeeplightError(error) && (isNodeFault(error) || error.code === "CID_NOT_FOUND")) return { error };
    throw error;
  }
}

/**
 * What comparing the shards shows:
 * - `recoverable`: there are more than enough, and they agree except for those of faulty nodes
 * - `unchecked`: there are just enough, so that a wrong one would not show
 * - `in doubt`: they disagree, and which of them are right cannot be determined
 * - `unrecoverable`: there are too few
 */
export type KeyState = "recoverable" | "unchecked" | "in doubt" | "unrecoverable";

/** Compares the shards with each other. `faultyNodes` are those whose shards do not match the others. */
export async function compareShards(
  responses: readonly NodeResponse[],
  threshold: number,
): Promise<{ state: KeyState; faultyNodes: number[] }> {
  const shards = responses.flatMap(({ node, shard }) => (shard ? [{ node, ...shard }] : []));
  if (shards.length < threshold) return { state: "unrecoverable", faultyNodes: [] };
  try {
    const { faultyShards } = await kavachRecoverKey(shards, { threshold });
    const state = shards.length === threshold ? "unchecked" : "recoverable";
    return { state, faultyNodes: faultyShards.flatMap((position) => shards[position]?.node ?? []) };
  } catch (error) {
    if (!isKeeplightError(error, "INVALID_SHARDS") && !isKeeplightError(error, "CANNOT_RECOVER_KEY")) throw error;
    // A shard that cannot be combined with the others would otherwise hide that these agree.
    const key = error.code === "INVALID_SHARDS" ? await findAgreedKey(shards, threshold) : undefined;
    if (key === undefined) return { state: "in doubt", faultyNodes: [] };
    const faulty = await findFaultyShards(key, shards, threshold);
    const good = shards.filter((_, position) => !faulty.includes(position));
    // A copy of another node's shard belongs to the key, and adds nothing to it.
    const firstOf = ({ index }: KeyShard) => good.find((shard) => shard.index.toLowerCase() === index.toLowerCase());
    const faultyNodes = shards.filter((shard) => firstOf(shard) !== shard).map(({ node }) => node);
    return { state: "recoverable", faultyNodes };
  }
}
