import { wait } from "../../base/async/abort.ts";
import { isKeeplightError, type KeeplightError } from "../../base/errors/base.ts";
import type { NodeFailure } from "../../base/errors/details/input-and-requests.ts";
import { notAJwt } from "../../base/errors/input.ts";
import { cannotRecoverKey, cidNotFound, nodesFailed, notOwner } from "../../base/errors/nodes.ts";
import { UnfinishedError } from "../../base/errors/unfinished.ts";
import { type OptionSchema, type Resolved, resolveOptions } from "../../base/operation.ts";
import type { Optional } from "../../base/options.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import type { Entry } from "../../journal/entries.ts";
import type { JournalLike } from "../../journal/handle.ts";
import {
  mergeResolved,
  type OwnerChangeOptions,
  ownerChangeSchema,
  queueOwnerCall,
  type ResolvedOwnerChange,
  resolveOwner,
} from "../auth/owner.ts";
import type { EarlierEntry, OwnerCallState } from "../nodes/call-entry.ts";
import { callNodes, type PerNode } from "../nodes/call-nodes.ts";
import { type Place, refuseSuperseded, takePlace } from "../nodes/later-calls.ts";
import { openKeyNodes, requestNodeSuccess } from "../nodes/node-client.ts";
import { endsCall, type OwnerOperation, startEntry } from "../nodes/run-on-all-nodes.ts";
import type { KeyShard } from "../shards/schemes.ts";
import { readShards } from "../shards/schemes.ts";
import { compareShards, type NodeQueries, type NodeResponse, queryNodes, toNodeHealth } from "./inspect.ts";
import { type RecoverFileKeyOptions, recoverFileKeySchema } from "./recover-file-key.ts";
import { createSaveRequest } from "./save-keys.ts";

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
  const place = takePlace();
  // Queued as a whole: new shards are shared to the addresses that were read before.
  return queueOwnerCall(openKeyNodes(options), cid, () => repair(cid, options, { entry, place }));
}

async function repair(
  cid: string,
  options: Resolved<typeof schema>,
  earlier: Pick<UnsavedRepair, "entry" | "place">,
): Promise<KeyRepair> {
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
  return saveRepaired({ repaired, shards, ...earlier }, queries, options);
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
  if (state === "holds") return { node, done: faultyNodes.includes(node) ? "replaced" : "kept" };
  if (state === "missing") return { node, done: "saved" };
  return { node, done: state, ...(failure ? { failure } : {}) };
}

/** Makes a new shard for every node that is to get one. No two shards of the key have the same index. */
async function makeShards(
  responses: readonly NodeResponse[],
  plan: readonly NodeRepair[],
): Promise<ReadonlyMap<number, KeyShard>> {
  const kept = plan.flatMap(({ done }, index) => (done === "kept" ? (responses[index]?.shard ?? []) : []));
  const made = new Map<number, KeyShard>();
  for (const { node, done } of plan) {
    if (isToSave(done)) made.set(node, await makeAnotherShard([...kept, ...made.values()]));
  }
  return made;
}

function tooFewShards(cid: string, needed: number, responses: readonly NodeResponse[]): KeeplightError {
  const errors = responses.flatMap(({ error }) => error ?? []);
  const failures = responses.flatMap((response) => toNodeHealth(response).failure ?? []);
  if (responses.every(({ error }) => error?.code === "CID_NOT_FOUND")) return cidNotFound(cid, failures);
  return nodesFailed(needed, responses.length - errors.length, failures, errors[0]);
}

/** What a repair did with one node. */
export interface NodeRepair {
  /** 1 to 5. */
  node: number;
  /**
   * `kept`: its shard was left as it is; `saved`: it had none and has a new one; `replaced`: its shard did not
   * belong to the others and was overwritten; `refused` or `failed`: it did not disclose whether it has one, and
   * was left alone.
   */
  done: "kept" | "saved" | "replaced" | "refused" | "failed";
  /** The response of a node that was left alone. */
  failure?: NodeFailure;
}

/** Outcome of a repair. */
export interface KeyRepair {
  /** Of the file. */
  cid: string;
  /**
   * Whom new shards are shared to: as the old ones were, without those whom an open revoke of the `journal` names. Absent if
   * the nodes did not report it: share again then.
   */
  sharedTo?: string[];
  /** All five, in order. */
  nodes: PerNode<NodeRepair>;
}

/** A repair that stopped at a node; see {@link UnfinishedError.resume}. */
export type UnfinishedRepair = UnfinishedError<KeyRepair, Optional<OwnerChangeOptions>>;

/** A repair whose shards are made and not all saved. */
interface UnsavedRepair {
  /** The outcome once all shards are saved. */
  repaired: KeyRepair;
  /** The shards that are not saved yet, by their nodes, in order. */
  shards: ReadonlyMap<number, KeyShard>;
  /** That was left open in the journal; a repair that starts again makes other shards. */
  entry?: EarlierEntry | undefined;
  place: Place;
}

/** Saves the new shards; throws an {@link UnfinishedRepair} if a node fails, after which no more is sent. */
async function saveRepaired(
  { repaired: planned, shards, entry: earlier, place }: UnsavedRepair,
  { nodes, auth }: Pick<NodeQueries, "nodes" | "auth">,
  options: ResolvedOwnerChange & { threshold: number },
): Promise<KeyRepair> {
  const { cid } = planned;
  const { address } = auth;
  const unsaved = new Map(shards);
  const parameters = { threshold: options.threshold, endpoints: nodes.call.endpoints };
  const call = { owner: address, cid, parameters, nodesDone: [] };
  const entry = await startEntry(options.journal, "repair", call, earlier);
  if (!entry) await refuseSuperseded({ kind: "repair", state: call }, place);
  const repaired = await leaveOutRevoked(planned, options.journal, entry);
  const { sharedTo: shareTo = [] } = repaired;
  const request = (node: number) => createSaveRequest(node, { address, cid, shard: shards.get(node), shareTo });
  const listSaved = () =>
    repaired.nodes.filter(({ node, done }) => isToSave(done) && !unsaved.has(node)).map(({ node }) => node);
  const { failed } = await callNodes(nodes, auth, [...shards.keys()], request, {
    afterFailure: "stop",
    onDone(node) {
      unsaved.delete(node);
      entry?.note({ nodesDone: listSaved() });
    },
  });
  const failure = failed.find(endsCall) ?? failed[0];
  if (!failure) {
    await entry?.complete();
    return repaired;
  }
  await entry?.release();
  const { node, error } = failure;
  const left: UnsavedRepair = { repaired, shards: unsaved, entry: entry?.id, place };
  throw new UnfinishedError<KeyRepair, Optional<OwnerChangeOptions>>(error.code, error.message, {
    details: { ...error.details, node, nodesDone: listSaved(), nodesLeft: [...unsaved.keys()] },
    cause: error,
    operationId: entry?.id,
    async resume(changed) {
      const merged = mergeResolved(ownerChangeSchema, options, changed);
      const again = openKeyNodes(merged);
      return queueOwnerCall(again, cid, async () =>
        saveRepaired(left, { nodes: again, auth: await resolveOwner(merged, again) }, merged),
      );
    },
  });
}

/** Returns a repair that readmits nobody whom an open revoke of the journal names. */
async function leaveOutRevoked(
  repair: KeyRepair,
  journal: JournalLike | undefined,
  entry: Entry<OwnerCallState> | undefined,
): Promise<KeyRepair> {
  const { sharedTo } = repair;
  if (!journal || !entry || !sharedTo) return repair;
  const { omitRevoked } = await import("../nodes/call-entry.ts");
  return { ...repair, sharedTo: await omitRevoked(journal, entry, sharedTo) };
}

function isToSave(done: NodeRepair["done"]): boolean {
  return done === "saved" || done === "replaced";
}

/**
 * Makes one more shard of a key, at a new random index: together with any of the others it recovers the same key. From
 * wrong shards, or too few, it makes a wrong one without an error.
 *
 * @param keyShards - at least as many shards of one key as recover it
 * @throws `INVALID_SHARDS`; `CANNOT_RECOVER_KEY` for an empty list
 */
export async function makeAnotherShard(keyShards: readonly KeyShard[]): Promise<KeyShard> {
  const { shards, sharing } = readShards(keyShards);
  if (sharing === undefined) throw cannotRecoverKey({ got: 0 });
  return sharing.makeAnother(shards);
}
