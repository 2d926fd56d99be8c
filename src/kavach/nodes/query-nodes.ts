import { wait } from "../../async/abort.ts";
import { DEFAULT_THRESHOLD, KEY_NODE_COUNT } from "../../config/limits.ts";
import { isKeeplightError, type KeeplightError } from "../../errors/base.ts";
import { isNodeFault } from "../../errors/nodes.ts";
import { checkCid } from "../../validation/cid.ts";
import { wholeNumber } from "../../validation/number.ts";
import { kavachGetAccessConditions } from "../access/get-access-conditions.ts";
import { resolveOwner } from "../auth/owner.ts";
import type { RecoverFileKeyOptions } from "../keys/recover-file-key.ts";
import { retrieveShard } from "../keys/recover-shards.ts";
import { kavachRecoverKey } from "../shards/recover.ts";
import type { KeyShard } from "../shards/sharing.ts";
import { type KeyNodes, type NodeAuth, resolveKeyNodes } from "./node-client.ts";

/** What one node gave when it was asked for its shard. */
export interface NodeResponse {
  node: number;
  shard?: KeyShard;
  /** Why there is none. */
  error?: KeeplightError;
}

/** Who may open a file, as the key nodes tell it: once for all of them. */
export interface SharingInfo {
  /** Address; of an EVM owner in lower case. */
  owner: string;
  /** Addresses that may recover the key besides the owner. */
  sharedTo: string[];
  /** Whether there are access conditions. */
  hasConditions: boolean;
}

/** All that the key nodes tell about one file. Holds secrets. */
export interface NodeQueries {
  nodes: KeyNodes;
  auth: NodeAuth;
  /** Of all five nodes, in order. */
  answers: NodeResponse[];
  /** Left out where the nodes do not tell. */
  sharing?: SharingInfo;
}

/**
 * Asks every node for its shard of a file's key, and all of them who may open the file. A node that fails is
 * part of the answer.
 *
 * @throws `INVALID_CID`, `MISSING_OWNER`, `INVALID_OPTION`, `INVALID_SIGNATURE`, `SIGNATURE_REJECTED`, `ABORTED`
 */
export async function queryNodes(cid: string, options: RecoverFileKeyOptions): Promise<NodeQueries> {
  cid = checkCid(cid);
  wholeNumber("threshold", options.threshold, DEFAULT_THRESHOLD, 2, KEY_NODE_COUNT);
  const nodes = resolveKeyNodes(options);
  const auth = await resolveOwner(options, nodes);

  const outage = await nodesError(auth.token());
  const answers: NodeResponse[] = [];
  for (let node = 1; node <= KEY_NODE_COUNT; node++) {
    if (outage) {
      answers.push({ node, error: outage });
      continue;
    }
    if (node > 1) await wait(nodes.pauseMs, nodes.call.signal);
    const shard = retrieveShard(nodes, auth, node, cid, options.dynamicData ?? {});
    const error = await nodesError(shard);
    answers.push(error ? { node, error } : { node, shard: await shard });
  }
  const sharing = outage ? undefined : await requestSharing(cid, nodes);
  return { nodes, auth, answers, ...(sharing ? { sharing } : {}) };
}

/** What the nodes did wrong, if that is why `work` fails; any other failure goes on. */
async function nodesError(work: Promise<unknown>): Promise<KeeplightError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (!isKeeplightError(error)) throw error;
    if (!isNodeFault(error) && error.code !== "CID_NOT_FOUND") throw error;
    return error;
  }
}

async function requestSharing(cid: string, { call, attempts, retryMs }: KeyNodes): Promise<SharingInfo | undefined> {
  const asked = kavachGetAccessConditions(cid, { ...call, attempts, retryMs });
  if (await nodesError(asked)) return undefined;
  const { owner, sharedTo, conditions, conditionsSolana } = await asked;
  return { owner, sharedTo, hasConditions: conditions.length + conditionsSolana.length > 0 };
}

/**
 * What shards say about each other:
 * - `recoverable`: there are more than enough, and enough of them agree; the others are `faultyNodes`
 * - `unchecked`: there are just enough, so that nothing tells whether they agree
 * - `in doubt`: they disagree, and it cannot be told which of them are right
 * - `unrecoverable`: there are too few
 */
export type KeyState = "recoverable" | "unchecked" | "in doubt" | "unrecoverable";

/** Holds the shards against each other. `faultyNodes` are those whose shards do not belong to the others. */
export async function compareShards(
  answers: readonly NodeResponse[],
  threshold: number,
): Promise<{ state: KeyState; faultyNodes: number[] }> {
  const given = answers.flatMap(({ node, shard }) => (shard ? [{ node, ...shard }] : []));
  if (given.length < threshold) return { state: "unrecoverable", faultyNodes: [] };
  try {
    const { faultyShards } = await kavachRecoverKey(given, { threshold });
    const state = given.length === threshold ? "unchecked" : "recoverable";
    return { state, faultyNodes: faultyShards.flatMap((at) => given[at]?.node ?? []) };
  } catch (error) {
    const unfit = isKeeplightError(error) && (error.code === "CANNOT_RECOVER_KEY" || error.code === "INVALID_SHARDS");
    if (!unfit) throw error;
    return { state: "in doubt", faultyNodes: [] };
  }
}
