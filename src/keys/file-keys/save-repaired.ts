import { isKeeplightError } from "../../base/errors/base.ts";
import type { NodeFailure } from "../../base/errors/facts.ts";
import { aborted } from "../../base/errors/transport.ts";
import { UnfinishedError } from "../../base/errors/unfinished.ts";
import type { Optional } from "../../base/options.ts";
import { resolveOwner } from "../auth/owner.ts";
import type { EarlierEntry } from "../nodes/call-entry.ts";
import { callNodes, type PerNode } from "../nodes/call-nodes.ts";
import { type KeyNodes, type NodeAuth, openKeyNodes } from "../nodes/node-client.ts";
import {
  mergeResolved,
  type OwnerChangeOptions,
  ownerChangeSchema,
  queueOwnerCall,
  type ResolvedOwnerChange,
} from "../nodes/owner-call.ts";
import { startEntry } from "../nodes/run-on-all-nodes.ts";
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
interface UnsavedRepair {
  /** The outcome once all shards are saved. */
  repaired: KeyRepair;
  /** The shards that are not saved yet, by their nodes, in order. */
  shards: ReadonlyMap<number, KeyShard>;
  /** That was left open in the journal; a repair that starts again makes other shards. */
  entry?: EarlierEntry | undefined;
}

/** Options of saving new shards. */
type SaveRepairedOptions = ResolvedOwnerChange & { threshold: number };

/** Saves the new shards; throws an {@link UnfinishedRepair} if a node fails, after which no more is sent. */
export async function saveRepaired(
  { repaired, shards, entry: earlier }: UnsavedRepair,
  { nodes, auth }: { nodes: KeyNodes; auth: NodeAuth },
  options: SaveRepairedOptions,
): Promise<KeyRepair> {
  const { cid, sharedTo = [] } = repaired;
  const { threshold, journal } = options;
  const unsaved = new Map(shards);
  const parameters = { threshold, endpoints: nodes.call.endpoints };
  const call = { owner: auth.address, cid, parameters, nodesDone: [] };
  const entry = await startEntry(journal, "repair", call, earlier);
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
  if (!failure) {
    await entry?.complete();
    return repaired;
  }
  await entry?.release();
  const { node } = failure;
  const error = isKeeplightError(failure.error) ? failure.error : aborted(failure.error);
  const left: UnsavedRepair = { repaired, shards: unsaved, entry: entry?.id };
  throw new UnfinishedError<KeyRepair, Optional<OwnerChangeOptions>>(error.code, error.message, {
    details: { ...error.details, node, nodesDone: listSavedNodes(left), nodesLeft: [...unsaved.keys()] },
    cause: error,
    operationId: entry?.id,
    resume: async (changed) => resumeRepair(left, mergeResolved(ownerChangeSchema, options, changed)),
  });
}

async function resumeRepair(repair: UnsavedRepair, options: SaveRepairedOptions): Promise<KeyRepair> {
  const nodes = openKeyNodes(options);
  return queueOwnerCall(nodes, repair.repaired.cid, async () =>
    saveRepaired(repair, { nodes, auth: await resolveOwner(options, nodes) }, options),
  );
}

/** Lists the nodes that have their new shard. */
function listSavedNodes({ repaired, shards }: UnsavedRepair): number[] {
  const saved = repaired.nodes.filter(
    ({ node, done }) => (done === "saved" || done === "replaced") && !shards.has(node),
  );
  return saved.map(({ node }) => node);
}
