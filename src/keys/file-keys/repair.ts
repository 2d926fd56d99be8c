import { wait } from "../../base/async/abort.ts";
import { isKeeplightError, type KeeplightError } from "../../base/errors/base.ts";
import { notAJwt } from "../../base/errors/input.ts";
import { cannotRecoverKey, cidNotFound, nodesFailed, notOwner } from "../../base/errors/nodes.ts";
import { type OptionSchema, type Resolved, resolveOptions } from "../../base/operation.ts";
import { checkCid } from "../../formats/cid/check-cid.ts";
import type { EarlierEntry } from "../nodes/call-entry.ts";
import type { PerNode } from "../nodes/call-nodes.ts";
import { openKeyNodes, requestNodeSuccess } from "../nodes/node-client.ts";
import { type OwnerChangeOptions, ownerChangeSchema, queueOwnerCall } from "../nodes/owner-call.ts";
import { compareShards, type NodeQueries, type NodeResponse, queryNodes } from "../nodes/query-nodes.ts";
import type { OwnerOperation } from "../nodes/run-on-all-nodes.ts";
import { makeAnotherShard } from "../shards/another-shard.ts";
import type { KeyShard } from "../shards/sharing.ts";
import { toNodeHealth } from "./inspect.ts";
import { type RecoverFileKeyOptions, recoverFileKeySchema } from "./recover-file-key.ts";
import { type KeyRepair, type NodeRepair, saveRepaired } from "./save-repaired.ts";

/** Options of {@link kavachRepair}. */
export type RepairOptions = OwnerChangeOptions & Pick<RecoverFileKeyOptions, "dynamicData" | "threshold">;

const schema = {
  ...ownerChangeSchema,
  dynamicData: recoverFileKeySchema.dynamicData,
  threshold: recoverFileKeySchema.threshold,
} satisfies OptionSchema<RepairOptions>;

export const kavachRepairOperation = { options: schema, run } satisfies OwnerOperation<RepairOptions>;

/**
 * Saves new shards on the nodes that have lost theirs, made from those of the others, and overwrites a shard that is
 * known to be wrong. Any three of the five shards then recover the key as before, and the new shards are shared to the
 * same addresses. Access conditions are not included: set them again with `kavachSetAccessConditions` for the new shards
 * to follow them.
 *
 * With no more than three shards left nothing can be checked: if one of them is wrong, so are the new ones. A node
 * that cannot be queried is left alone, as it may still have its shard.
 *
 * @param options - the file's owner, by a signer or a JWT; `threshold` (default 3) is 4 for keys that older
 * clients' `shardKey` has split
 * @throws before anything is saved: `INVALID_CID`, `MISSING_OWNER`, `NOT_A_JWT`, `NOT_OWNER`, `CID_NOT_FOUND` if no
 * node knows the file, `NODES_FAILED` if too few return a shard, `CANNOT_RECOVER_KEY` if the shards disagree and which
 * are right cannot be determined, `ABORTED`; an {@link UnfinishedRepair} if a node does not accept its shard, whose
 * `details.nodesDone` lists the nodes that have theirs and whose `resume()` continues at that node
 *
 * @example
 * const { nodes } = await kavachRepair(cid, { signer });
 */
export async function kavachRepair(cid: string, options: RepairOptions): Promise<KeyRepair> {
  return run(checkCid(cid), resolveOptions(schema, options));
}

async function run(cid: string, options: Resolved<typeof schema>, entry?: EarlierEntry): Promise<KeyRepair> {
  // A signature is valid for one call to a node, and this makes two.
  if (options.authToken?.startsWith("0x")) throw notAJwt();
  // Queued as a whole: new shards are shared to the addresses that were read before.
  return queueOwnerCall(openKeyNodes(options), cid, () => repair(cid, options, entry));
}

async function repair(cid: string, options: Resolved<typeof schema>, entry?: EarlierEntry): Promise<KeyRepair> {
  const { threshold } = options;
  const queries = await queryNodes(cid, options);
  const { nodes, auth, responses, sharing } = queries;
  if (sharing && sharing.owner.toLowerCase() !== auth.address.toLowerCase()) throw notOwner(cid);

  const { state, faultyNodes } = await compareShards(responses, threshold);
  if (state === "unrecoverable") throw tooFewShards(cid, threshold, responses);
  if (state === "in doubt") {
    const got = responses.filter(({ shard }) => shard).length;
    throw cannotRecoverKey({ needed: threshold, got, reason: "the shards do not belong together" });
  }
  const plan = responses.map((response) => planNodeRepair(response, faultyNodes)) as PerNode<NodeRepair>;
  const shards = await makeShards(responses, plan);
  const repaired: KeyRepair = { cid, ...(sharing ? { sharedTo: sharing.sharedTo } : {}), nodes: plan };
  if (shards.size === 0) return repaired;
  if (!sharing) await proveOwner(cid, plan, queries);
  await wait(nodes.pauseMs, nodes.call.signal);
  return saveRepaired({ repaired, shards, entry }, queries, options);
}

/**
 * Proves that the caller owns the file if the nodes do not report its owner: requests a node that has its shard to
 * transfer the file to its current owner, which changes nothing and which only the owner may. Anyone else would become
 * the owner of a new shard.
 */
async function proveOwner(cid: string, plan: readonly NodeRepair[], { nodes, auth }: NodeQueries): Promise<void> {
  const node = plan.find(({ done }) => done === "kept")?.node;
  if (node === undefined) throw notOwner(cid);
  const { address } = auth;
  const json = { address, cid, newOwner: address, resetSharedTo: false };
  try {
    await wait(nodes.pauseMs, nodes.call.signal);
    await requestNodeSuccess(nodes, { method: "POST", path: `/api/transferOwnership/${node}`, json, node }, auth);
  } catch (error) {
    throw isKeeplightError(error, "NODE_REFUSED") ? notOwner(cid) : error;
  }
}

function planNodeRepair(response: NodeResponse, faultyNodes: readonly number[]): NodeRepair {
  const { node, state, failure } = toNodeHealth(response);
  switch (state) {
    case "holds":
      return { node, done: faultyNodes.includes(node) ? "replaced" : "kept" };
    case "missing":
      return { node, done: "saved" };
    default:
      return { node, done: state, ...(failure ? { failure } : {}) };
  }
}

/** Makes a new shard for every node that is to get one. No two shards of the key have the same index. */
async function makeShards(
  responses: readonly NodeResponse[],
  plan: readonly NodeRepair[],
): Promise<ReadonlyMap<number, KeyShard>> {
  const kept = plan.flatMap(({ done }, index) => (done === "kept" ? (responses[index]?.shard ?? []) : []));
  const made = new Map<number, KeyShard>();
  for (const { node, done } of plan) {
    if (done !== "saved" && done !== "replaced") continue;
    made.set(node, await makeAnotherShard([...kept, ...made.values()]));
  }
  return made;
}

function tooFewShards(cid: string, needed: number, responses: readonly NodeResponse[]): KeeplightError {
  const errors = responses.flatMap(({ error }) => error ?? []);
  const failures = responses.flatMap((response) => toNodeHealth(response).failure ?? []);
  if (responses.every(({ error }) => error?.code === "CID_NOT_FOUND")) return cidNotFound(cid, failures);
  return nodesFailed(needed, responses.length - errors.length, failures, errors[0]);
}
