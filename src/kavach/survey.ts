import { DEFAULT_THRESHOLD, KEY_NODE_COUNT } from "../config/limits.ts";
import { isKeeplightError, KeeplightError } from "../errors/base.ts";
import { isNodeFault } from "../errors/nodes.ts";
import { wait } from "../input/abort.ts";
import { checkCid } from "../input/cid.ts";
import { wholeNumber } from "../input/number.ts";
import { kavachGetAccessConditions } from "./get-access-conditions.ts";
import { type KeyNodes, resolveKeyNodes } from "./node-client.ts";
import { type NodeAuth, resolveOwner } from "./owner.ts";
import type { RecoverFileKeyOptions } from "./recover-file-key.ts";
import { retrieveShard } from "./recover-shards.ts";
import { kavachRecoverKey } from "./shards/recover.ts";
import type { KeyShard } from "./shards/sharing.ts";

/** What one node gave when it was asked for its shard. */
export interface NodeAnswer {
  node: number;
  shard?: KeyShard;
  /** Why there is none. */
  error?: KeeplightError;
}

/** Who may open a file, as the key nodes tell it: once for all of them. */
export interface SharingTold {
  /** Address; of an EVM owner in lower case. */
  owner: string;
  /** Addresses that may recover the key besides the owner. */
  sharedTo: string[];
  /** Whether there are access conditions. */
  hasConditions: boolean;
}

/** All that the key nodes tell about one file. Holds secrets. */
export interface Survey {
  nodes: KeyNodes;
  auth: NodeAuth;
  /** Of all five nodes, in order. */
  answers: NodeAnswer[];
  /** Left out where the nodes do not tell. */
  sharing?: SharingTold;
}

/**
 * Asks every node for its shard of a file's key, and all of them who may open the file. A node that fails is
 * part of the answer.
 *
 * @throws `INVALID_CID`, `MISSING_OWNER`, `INVALID_OPTION`, `INVALID_SIGNATURE`, `SIGNATURE_REJECTED`, `ABORTED`
 */
export async function surveyNodes(cid: string, options: RecoverFileKeyOptions): Promise<Survey> {
  cid = checkCid(cid);
  wholeNumber("threshold", options.threshold, DEFAULT_THRESHOLD, 2, KEY_NODE_COUNT);
  const nodes = resolveKeyNodes(options);
  const auth = await resolveOwner(options, nodes);

  const outage = await nodesError(auth.token());
  const answers: NodeAnswer[] = [];
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
  const sharing = outage ? undefined : await askSharing(cid, nodes);
  return { nodes, auth, answers, ...(sharing ? { sharing } : {}) };
}

/** What the nodes did wrong, if that is why `work` fails; any other failure goes on. */
async function nodesError(work: Promise<unknown>): Promise<KeeplightError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (!(error instanceof KeeplightError)) throw error;
    if (!isNodeFault(error) && error.code !== "CID_NOT_FOUND") throw error;
    return error;
  }
}

async function askSharing(cid: string, { call, attempts, retryMs }: KeyNodes): Promise<SharingTold | undefined> {
  const asked = kavachGetAccessConditions(cid, { ...call, attempts, retryMs });
  if (await nodesError(asked)) return undefined;
  const { owner, sharedTo, conditions, conditionsSolana } = await asked;
  return { owner, sharedTo, hasConditions: conditions.length + conditionsSolana.length > 0 };
}

/**
 * What shards say about each other:
 * - `recoverable`: there are more than enough, and enough of them agree; the others are `liars`
 * - `unchecked`: there are just enough, so that nothing tells whether they agree
 * - `in doubt`: they disagree, and it cannot be told which of them are right
 * - `unrecoverable`: there are too few
 */
export type KeyState = "recoverable" | "unchecked" | "in doubt" | "unrecoverable";

/** Holds the shards against each other. `liars` are the nodes whose shards do not belong to the others. */
export async function compareShards(
  answers: readonly NodeAnswer[],
  threshold: number,
): Promise<{ state: KeyState; liars: number[] }> {
  const given = answers.flatMap(({ node, shard }) => (shard ? [{ node, ...shard }] : []));
  if (given.length < threshold) return { state: "unrecoverable", liars: [] };
  try {
    const { liars } = await kavachRecoverKey(given, { threshold });
    const state = given.length === threshold ? "unchecked" : "recoverable";
    return { state, liars: liars.flatMap((at) => given[at]?.node ?? []) };
  } catch (error) {
    const unfit = isKeeplightError(error) && (error.code === "CANNOT_RECOVER_KEY" || error.code === "INVALID_SHARDS");
    if (!unfit) throw error;
    return { state: "in doubt", liars: [] };
  }
}
