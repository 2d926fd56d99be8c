import { DEFAULT_THRESHOLD } from "../../config/limits.ts";
import type { NodeFailure } from "../../errors/facts.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { compareShards, type KeyState, type NodeResponse, queryNodes, type SharingInfo } from "../nodes/query-nodes.ts";
import { type RecoverFileKeyOptions, recoverFileKeyNames } from "./recover-file-key.ts";

/** Options of {@link kavachInspect}. */
export type InspectOptions = RecoverFileKeyOptions;

/**
 * What a key node has of a file's key:
 * - `holds`: it gave a shard
 * - `missing`: it does not know the file
 * - `refused`: it does not let this address have its shard
 * - `failed`: it could not be asked, or answered nonsense
 */
export type NodeState = "holds" | "missing" | "refused" | "failed";

/** One key node's part in {@link KeyHealth}. */
export interface NodeHealth {
  /** 1 to 5. */
  node: number;
  /** What it keeps of the file's key. */
  state: NodeState;
  /** Whether its shard belongs with the others. Left out where that cannot be told. */
  agrees?: boolean;
  /** What it answered instead of a shard. */
  failure?: NodeFailure;
}

/** How a file's key is kept. Holds no secret. */
export interface KeyHealth {
  /** Of the file. */
  cid: string;
  /** All five nodes hold a shard, all shards belong together, and nothing says that sharing differs. */
  healthy: boolean;
  /**
   * `recoverable`: more than enough shards, and they agree but for those of nodes that do not; `unchecked`: just
   * enough, so that a wrong one would not show; `in doubt`: they disagree, and none can be told to be right;
   * `unrecoverable`: too few.
   */
  key: KeyState;
  /**
   * Whether all nodes treat the asking address alike: `different` if some give it a shard and some refuse it,
   * `unknown` if fewer than two could say.
   */
  sharing: "same" | "different" | "unknown";
  /** Who may open the file, which the nodes tell once for all of them. Left out where they do not tell. */
  access?: SharingInfo;
  /** All five, in order. */
  nodes: NodeHealth[];
}

/**
 * Asks all five key nodes for their shard of a file's key and tells how the key is kept: who holds a shard, whether
 * the shards agree, and, as far as the network tells, whether sharing is the same everywhere. Nothing is changed,
 * and no shard is given out. Takes one address's view: a revocation that was half done shows only to those revoked.
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
export async function kavachInspect(cid: string, options: InspectOptions = {}): Promise<KeyHealth> {
  checkOptions(options, recoverFileKeyNames);
  const { answers, sharing: access } = await queryNodes(cid, options);
  const { state: key, faultyNodes } = await compareShards(answers, options.threshold ?? DEFAULT_THRESHOLD);
  const nodes = answers.map((answer): NodeHealth => {
    const health = nodeHealth(answer);
    const known = key === "recoverable" && health.state === "holds";
    return known ? { ...health, agrees: !faultyNodes.includes(answer.node) } : health;
  });
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

/** What a node's answer says about the node alone. */
export function nodeHealth({ node, error }: NodeResponse): NodeHealth {
  if (!error) return { node, state: "holds" };
  const failure = { node, code: error.code, message: error.message };
  if (error.code === "CID_NOT_FOUND") return { node, state: "missing", failure };
  const status = Number(error.details["status"] ?? 0);
  return { node, state: error.code === "NODE_REFUSED" && status < 500 ? "refused" : "failed", failure };
}

function compareSharing(nodes: readonly NodeHealth[]): KeyHealth["sharing"] {
  const letIn = nodes.filter(({ state }) => state === "holds").length;
  const refused = nodes.filter(({ state }) => state === "refused").length;
  if (letIn > 0 && refused > 0) return "different";
  return letIn + refused < 2 ? "unknown" : "same";
}
