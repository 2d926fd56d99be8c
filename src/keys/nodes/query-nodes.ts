import { isKeeplightError, type KeeplightError } from "../../base/errors/base.ts";
import { isNodeFault } from "../../base/errors/nodes.ts";
import type { Resolved } from "../../base/operation.ts";
import { fetchAccessConditions } from "../access/get-access-conditions.ts";
import { resolveOwner } from "../auth/owner.ts";
import { retrieveShard, type shardRequestSchema } from "../file-keys/retrieve-shard.ts";
import { findAgreedKey, findFaultyShards } from "../shards/candidates.ts";
import { kavachRecoverKey } from "../shards/recover.ts";
import type { KeyShard } from "../shards/sharing.ts";
import { ALL_NODES, mapNodes, shareSignIn } from "./call-nodes.ts";
import { type KeyNodes, type NodeAuth, openKeyNodes } from "./node-client.ts";
import type { ownerCallSchema } from "./owner-call.ts";

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
  options: Resolved<typeof ownerCallSchema> & Partial<Resolved<typeof shardRequestSchema>>,
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
  const sharing = await requestSharing(cid, nodes);
  return { nodes, auth, responses, ...(sharing ? { sharing } : {}) };
}

type Outcome<T> = { value: T; error?: undefined } | { error: KeeplightError; value?: undefined };

/** Returns a failure that is the nodes' fault instead of throwing it; every other failure is thrown. */
async function catchNodeFault<T>(work: Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await work };
  } catch (error) {
    if (!isKeeplightError(error)) throw error;
    if (!isNodeFault(error) && error.code !== "CID_NOT_FOUND") throw error;
    return { error };
  }
}

async function requestSharing(cid: string, nodes: KeyNodes): Promise<SharingInfo | undefined> {
  const { value } = await catchNodeFault(fetchAccessConditions(cid, nodes));
  if (!value) return undefined;
  const { owner, sharedTo, conditions, conditionsSolana } = value;
  return { owner, sharedTo, hasConditions: conditions.length + conditionsSolana.length > 0 };
}

/**
 * What comparing the shards shows:
 * - `recoverable`: there are more than enough, and enough of them agree; the others are from `faultyNodes`
 * - `unchecked`: there are just enough, so that nothing shows whether they agree
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
    const disagree = isKeeplightError(error) && ["CANNOT_RECOVER_KEY", "INVALID_SHARDS"].includes(error.code);
    if (!disagree) throw error;
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
