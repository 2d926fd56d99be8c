import { isKeeplightError } from "../../errors/base.ts";
import type { NodeFailure } from "../../errors/facts.ts";
import { aborted } from "../../errors/transport.ts";
import { UnfinishedError } from "../../errors/unfinished.ts";
import type { Optional } from "../../options.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { resolveOwner } from "../auth/owner.ts";
import { callNodes, type PerNode } from "../nodes/call-nodes.ts";
import { mergeResumeOptions } from "../nodes/merge-options.ts";
import { type KeyNodes, type NodeAuth, resolveKeyNodes } from "../nodes/node-client.ts";
import { type OwnerChangeOptions, ownerChangeNames } from "../nodes/owner-call.ts";
import { queueOwnerCall } from "../nodes/queue-owner-call.ts";
import { recordCall } from "../nodes/record-call.ts";
import type { KeyShard } from "../shards/sharing.ts";

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
  /** Whom new shards are shared to, as the old ones were. Absent if the nodes did not report it: share again then. */
  sharedTo?: string[];
  /** All five, in order. */
  nodes: PerNode<NodeRepair>;
}

/** A repair that stopped at a node; see {@link UnfinishedError.resume}. */
export type UnfinishedRepair = UnfinishedError<KeyRepair, Optional<OwnerChangeOptions>>;

/** A repair whose shards are made and not all saved. */
export interface UnsavedRepair {
  /** The outcome once all shards are saved. */
  repaired: KeyRepair;
  /** The shards that are not saved yet, by their nodes, in order. */
  shards: ReadonlyMap<number, KeyShard>;
  /** Of the operation that was left open in the journal; a repair that starts again makes other shards. */
  entryId?: string | undefined;
}

/** Options of saving new shards. */
type SaveRepairedOptions = OwnerChangeOptions & { threshold?: number | undefined };

/** Saves the new shards; throws an {@link UnfinishedRepair} if a node fails, after which no more is sent. */
export async function saveRepaired(
  { repaired, shards, entryId }: UnsavedRepair,
  { nodes, auth }: { nodes: KeyNodes; auth: NodeAuth },
  options: SaveRepairedOptions,
): Promise<KeyRepair> {
  const { cid, sharedTo = [] } = repaired;
  const { threshold, journal } = options;
  const unsaved = new Map(shards);
  const parameters = { threshold, endpoints: nodes.call.endpoints };
  const call = { owner: auth.address, cid, parameters, nodesDone: [] };
  const entry = await recordCall(journal, entryId, "repair", call);
  const sharing = sharedTo.length > 0 ? { sharedTo } : {};
  const { failed, thrown } = await callNodes(
    nodes,
    auth,
    [...shards.keys()],
    (node) => ({
      method: "POST",
      path: `/api/setSharedKey/${node}`,
      json: { address: auth.address, cid, payload: shards.get(node), ...sharing },
    }),
    {
      afterFailure: "stop",
      onDone(node) {
        unsaved.delete(node);
        entry?.note({ nodesDone: listSavedNodes({ repaired, shards: unsaved }) });
      },
    },
  );
  const failure = thrown ?? failed[0];
  if (failure) {
    await entry?.release();
    throw toUnfinishedRepair(failure.error, failure.node, { repaired, shards: unsaved, entryId: entry?.id }, options);
  }
  await entry?.complete();
  return repaired;
}

async function resumeRepair(repair: UnsavedRepair, options: SaveRepairedOptions): Promise<KeyRepair> {
  const nodes = resolveKeyNodes(options);
  return queueOwnerCall(nodes, repair.repaired.cid, async () =>
    saveRepaired(repair, { nodes, auth: await resolveOwner(options, nodes) }, options),
  );
}

function toUnfinishedRepair(
  thrown: unknown,
  node: number,
  repair: UnsavedRepair,
  options: SaveRepairedOptions,
): UnfinishedRepair {
  const error = isKeeplightError(thrown) ? thrown : aborted(thrown);
  const nodesLeft = [...repair.shards.keys()];
  return new UnfinishedError<KeyRepair, Optional<OwnerChangeOptions>>(error.code, error.message, {
    details: { ...error.details, node, nodesDone: listSavedNodes(repair), nodesLeft },
    cause: error,
    operationId: repair.entryId,
    resume: async (changed) => {
      changed = checkOptions(changed, ownerChangeNames);
      return resumeRepair(repair, mergeResumeOptions(options, changed));
    },
  });
}

/** Lists the nodes that have their new shard. */
function listSavedNodes({ repaired, shards }: UnsavedRepair): number[] {
  const saved = repaired.nodes.filter(
    ({ node, done }) => (done === "saved" || done === "replaced") && !shards.has(node),
  );
  return saved.map(({ node }) => node);
}
