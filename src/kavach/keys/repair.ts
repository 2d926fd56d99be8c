import { wait } from "../../async/abort.ts";
import { DEFAULT_THRESHOLD } from "../../config/limits.ts";
import { isKeeplightError, type KeeplightError } from "../../errors/base.ts";
import type { NodeFailure } from "../../errors/facts.ts";
import { notAJwt } from "../../errors/input.ts";
import { cannotRecoverKey, cidNotFound, nodesFailed, notOwner } from "../../errors/nodes.ts";
import { UnfinishedError } from "../../errors/unfinished.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { checkCid } from "../../validation/cid.ts";
import { resolveOwner } from "../auth/owner.ts";
import { requestNodeSuccess, resolveKeyNodes } from "../nodes/node-client.ts";
import { compareShards, type NodeQueries, type NodeResponse, queryNodes } from "../nodes/query-nodes.ts";
import { type OwnerCallOptions, ownerCallNames, resumedOptions } from "../nodes/run-on-all-nodes.ts";
import { anotherShard } from "../shards/another-shard.ts";
import type { KeyShard } from "../shards/sharing.ts";
import { nodeHealth } from "./inspect.ts";
import { type RecoverFileKeyOptions, recoverFileKeyNames } from "./recover-file-key.ts";

/** Options of {@link kavachRepair}. */
export type RepairOptions = RecoverFileKeyOptions;

/** What {@link kavachRepair} did with one node. */
export interface NodeRepair {
  /** 1 to 5. */
  node: number;
  /**
   * `kept`: its shard was left as it is; `saved`: it had none and has a new one; `replaced`: its shard did not
   * belong to the others and was written over; `refused` or `failed`: it did not tell whether it has one, and
   * was left alone.
   */
  done: "kept" | "saved" | "replaced" | "refused" | "failed";
  /** What a node that was left alone answered. */
  failure?: NodeFailure;
}

/** What {@link kavachRepair} did. */
export interface KeyRepair {
  /** Of the file. */
  cid: string;
  /** Whom new shards are shared to, as with the old ones. Left out where the nodes did not tell: share again then. */
  sharedTo?: string[];
  /** All five, in order. */
  nodes: NodeRepair[];
}

/** A repair that stopped at a node; see {@link UnfinishedError.resume}. */
export type UnfinishedRepair = UnfinishedError<KeyRepair, Partial<OwnerCallOptions>>;

/**
 * Gives the nodes that have lost their shard of a file's key a new one, made from those of the others, and writes
 * over a shard that is known to be wrong. Any three of the five shards then give the key back as before, and the
 * new shards are shared to the same addresses. Access conditions are not part of it: set them again with
 * `kavachSetAccessConditions` for the new shards to follow them.
 *
 * With no more than three shards left nothing can be checked: if one of them is wrong, so are the new ones. A node
 * that cannot be asked is left alone, as it may still have its shard.
 *
 * @param options - the file's owner, by a signer or a JWT; `threshold` (default 3) is 4 for keys that older
 * clients' `shardKey` has split
 * @throws before anything is saved: `INVALID_CID`, `MISSING_OWNER`, `NOT_A_JWT`, `NOT_OWNER`, `CID_NOT_FOUND` if no
 * node knows the file, `NODES_FAILED` if too few give a shard, `CANNOT_RECOVER_KEY` if the shards disagree and it
 * cannot be told which are right; an {@link UnfinishedRepair} if a node does not take its shard, whose
 * `details.nodesDone` says which nodes have theirs and whose `resume()` goes on at that node
 *
 * @example
 * const { nodes } = await kavachRepair(cid, { signer });
 */
export async function kavachRepair(cid: string, options: RepairOptions = {}): Promise<KeyRepair> {
  checkOptions(options, recoverFileKeyNames);
  cid = checkCid(cid);
  const { threshold = DEFAULT_THRESHOLD, authToken } = options;
  // A signature is good for one call to a node, and this makes two.
  if (authToken?.startsWith("0x")) throw notAJwt();
  const survey = await queryNodes(cid, options);
  const { auth, answers, sharing } = survey;
  if (sharing && sharing.owner.toLowerCase() !== auth.address.toLowerCase()) throw notOwner(cid);

  const { state, faultyNodes } = await compareShards(answers, threshold);
  if (state === "unrecoverable") throw tooFew(cid, threshold, answers);
  if (state === "in doubt") {
    const got = answers.filter(({ shard }) => shard).length;
    throw cannotRecoverKey({ needed: threshold, got, reason: "the shards do not belong together" });
  }
  const report = answers.map((answer) => plan(answer, faultyNodes));
  const shards = await makeShards(answers, report);
  if (!sharing && shards.size > 0) await proveOwner(cid, report, survey);
  const repaired: KeyRepair = { cid, ...(sharing ? { sharedTo: sharing.sharedTo } : {}), nodes: report };
  return saveAll({ repaired, shards }, options, survey);
}

/**
 * Where the nodes do not tell who owns the file, one that has its shard is asked to hand it over to whom it belongs
 * already, which changes nothing, and which only the owner may: anyone else would become the owner of a new shard.
 */
async function proveOwner(cid: string, report: readonly NodeRepair[], { nodes, auth }: NodeQueries): Promise<void> {
  const node = report.find(({ done }) => done === "kept")?.node;
  if (node === undefined) throw notOwner(cid);
  const { address } = auth;
  const json = { address, cid, newOwner: address, resetSharedTo: false };
  try {
    await wait(nodes.pauseMs, nodes.call.signal);
    await requestNodeSuccess(nodes, { method: "POST", path: `/api/transferOwnership/${node}`, json, node }, auth);
  } catch (error) {
    throw isKeeplightError(error) && error.code === "NODE_REFUSED" ? notOwner(cid) : error;
  }
}

function plan(answer: NodeResponse, liars: readonly number[]): NodeRepair {
  const { node, state, failure } = nodeHealth(answer);
  switch (state) {
    case "holds":
      return { node, done: liars.includes(node) ? "replaced" : "kept" };
    case "missing":
      return { node, done: "saved" };
    default:
      return { node, done: state, ...(failure ? { failure } : {}) };
  }
}

/** A new shard for every node that is to get one. No two of the key's shards have one index. */
async function makeShards(
  answers: readonly NodeResponse[],
  report: readonly NodeRepair[],
): Promise<ReadonlyMap<number, KeyShard>> {
  const good = report.flatMap(({ node, done }, at) => {
    const shard = answers[at]?.shard;
    return done === "kept" && shard ? [[node, shard] as const] : [];
  });
  const all = new Map<number, KeyShard>(good);
  const made = new Map<number, KeyShard>();
  for (const { node, done } of report) {
    if (done !== "saved" && done !== "replaced") continue;
    const shard = await anotherShard([...all.values()]);
    all.set(node, shard);
    made.set(node, shard);
  }
  return made;
}

/** A repair whose shards are made. */
interface Repair {
  /** What will have been done in the end. */
  repaired: KeyRepair;
  /** The shards that are not saved yet, by their nodes, in order. */
  shards: ReadonlyMap<number, KeyShard>;
}

async function saveAll(
  { repaired, shards }: Repair,
  options: RepairOptions,
  standing?: Pick<NodeQueries, "nodes" | "auth">,
): Promise<KeyRepair> {
  const { cid, sharedTo = [] } = repaired;
  const nodes = standing?.nodes ?? resolveKeyNodes(options);
  const auth = standing?.auth ?? (await resolveOwner(options, nodes));
  const left = new Map(shards);
  for (const [node, payload] of shards) {
    const json = { address: auth.address, cid, payload, ...(sharedTo.length > 0 ? { sharedTo } : {}) };
    try {
      if (standing || left.size < shards.size) await wait(nodes.pauseMs, nodes.call.signal);
      await requestNodeSuccess(nodes, { method: "POST", path: `/api/setSharedKey/${node}`, json, node }, auth);
    } catch (error) {
      if (!isKeeplightError(error)) throw error;
      throw new UnfinishedError<KeyRepair, Partial<OwnerCallOptions>>(error.code, error.message, {
        details: { ...error.details, node, nodesDone: savedBut(left, repaired), nodesLeft: [...left.keys()] },
        cause: error,
        resume: async (changed) => {
          checkOptions(changed, ownerCallNames);
          return saveAll({ repaired, shards: left }, resumedOptions(options, changed));
        },
      });
    }
    left.delete(node);
  }
  return repaired;
}

/** The nodes that have their new shards by now. */
function savedBut(left: ReadonlyMap<number, KeyShard>, { nodes }: KeyRepair): number[] {
  return nodes.flatMap(({ node, done }) =>
    (done === "saved" || done === "replaced") && !left.has(node) ? [node] : [],
  );
}

function tooFew(cid: string, needed: number, answers: readonly NodeResponse[]): KeeplightError {
  const errors = answers.flatMap(({ error }) => error ?? []);
  const failures = answers.flatMap((answer) => nodeHealth(answer).failure ?? []);
  if (answers.every(({ error }) => error?.code === "CID_NOT_FOUND")) return cidNotFound(cid, failures);
  return nodesFailed(needed, answers.length - errors.length, failures, errors[0]);
}
