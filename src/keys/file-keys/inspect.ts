import type { NodeFailure } from "../../base/errors/facts.ts";
import { type Operation, resolveOptions } from "../../base/operation.ts";
import { checkCid } from "../../formats/cid/check-cid.ts";
import type { PerNode } from "../nodes/call-nodes.ts";
import { compareShards, type KeyState, type NodeResponse, queryNodes, type SharingInfo } from "../nodes/query-nodes.ts";
import { type RecoverFileKeyOptions, recoverFileKeySchema } from "./recover-file-key.ts";

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
  /**
   * `recoverable`: more than enough shards, and they agree except for those of faulty nodes; `unchecked`: just
   * enough, so that a wrong one would not show; `in doubt`: they disagree, and which are right cannot be determined;
   * `unrecoverable`: too few.
   */
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
  const failure = { node, code: error.code, message: error.message };
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
