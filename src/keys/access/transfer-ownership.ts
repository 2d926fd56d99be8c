import { wait } from "../../base/async/abort.ts";
import { isKeeplightError, KeeplightError } from "../../base/errors/base.ts";
import { isSingleNodeFault } from "../../base/errors/nodes.ts";
import { boolean, type OptionSchema } from "../../base/operation.ts";
import { checkAddress } from "../../base/validation/address.ts";
import { type OwnerChangeOptions, ownerChangeSchema } from "../auth/owner.ts";
import { retrieveShard } from "../file-keys/recover-shards.ts";
import { ALL_NODES, mapNodes, shareSignIn } from "../nodes/call-nodes.ts";
import type { KeyNodes, NodeAuth } from "../nodes/node-client.ts";
import {
  type CompletedNodes,
  defineOwnerCall,
  type InterruptedCalls,
  isDenial,
  type RefusedCalls,
} from "../nodes/run-on-all-nodes.ts";
import { type AccessConditions, fetchAccessConditions, hasConditions } from "./get-access-conditions.ts";

/** Options of {@link kavachTransferOwnership}. */
export type TransferOwnershipOptions = OwnerChangeOptions & {
  /** The address that owns the file from now on: EVM, or 44-character base58. */
  newOwner: string;
  /** Whether the addresses that the file is shared to lose their access. @default true */
  resetSharedTo?: boolean | undefined;
};

const schema = {
  ...ownerChangeSchema,
  newOwner: (value) => checkAddress(value),
  resetSharedTo: boolean(true),
} satisfies OptionSchema<TransferOwnershipOptions>;

export const kavachTransferOwnershipOperation = defineOwnerCall("transfer", schema, (cid, options) => {
  const { newOwner, resetSharedTo } = options;
  return {
    request: (node, address) => ({
      method: "POST",
      path: `/api/transferOwnership/${node}`,
      json: { address, cid, newOwner, resetSharedTo },
    }),
    findSettled: (calls) => findTransferred(newOwner, cid, calls),
    isUndone: (calls) => isGivenBack(cid, calls),
  };
});

/**
 * Transfers an encrypted file to another owner, who alone may share, revoke and transfer it from then on.
 * Only its owner may do so.
 *
 * If a node fails, the others still transfer it. Either owner can complete a partial transfer, with some nodes at the
 * old owner and some at the new one: the old owner calls again with the same `newOwner`, or the new owner transfers the
 * file back with the old owner as `newOwner`. A node that denies the caller the file then counts as done if the network
 * reports `newOwner` as the owner. The network reports one owner for all nodes, so a node that belongs to a third
 * address would count as well; `kavachInspect` by the new owner shows it as `refused`. So it does if the network reports
 * a third address as the owner, which then has the file from the new one. Only the old owner can transfer
 * the nodes that still belong to them: the error of a new owner who calls with their own address lists those nodes.
 *
 * @throws `INVALID_CID`, `INVALID_ADDRESS`, `INVALID_OPTION`, `MISSING_OWNER`; an {@link UnfinishedError} if a node
 * fails, whose `details.nodesDone` and `details.failures` list the nodes and whose `resume()` calls those that failed;
 * its code is `NOT_OWNER` if the new owner calls and some nodes still belong to somebody else
 */
export async function kavachTransferOwnership(cid: string, options: TransferOwnershipOptions): Promise<CompletedNodes> {
  return kavachTransferOwnershipOperation.call(cid, options);
}

/**
 * Finds the nodes that denied the caller the file because they belong to the new owner. The network reports one owner
 * for all nodes, possibly that of a node that was transferred just now: so a node counts only if it denies the caller
 * its shard as well. A node without the file denies every transfer, but not its shard, of which it has none.
 */
async function findTransferred(
  newOwner: string,
  cid: string,
  { nodes, auth, refused, doneNow, done }: RefusedCalls,
): Promise<readonly number[]> {
  if (auth.address === newOwner) {
    // The nodes that are done already belonged to the caller, and the others do not.
    if (done.length === 0) return [];
    const which = `${refused.length === 1 ? "node" : "nodes"} ${refused.join(", ")}`;
    const advice = "the previous owner has to transfer it again, or transfer it back to them";
    throw new KeeplightError("NOT_OWNER", `The file has another owner on ${which}: ${advice}`, { details: { cid } });
  }
  const access = await getAccess(cid, nodes);
  // After a transfer in part, another owner has the file from the new one.
  const isTransferred = access !== undefined && access.owner !== auth.address && done.length > 0;
  if (access?.owner !== newOwner && !isTransferred) return [];
  // In this case, receiving a shard does not show that the caller still owns the file.
  const isReleased = doneNow.length === 0 && mayOpen(access, auth.address);
  const releases = await findReleases(cid, nodes, auth, refused);
  const isTransferredAt = (release: Release | undefined) =>
    release === "denied" || (isReleased && release === "released");
  return refused.filter((_, index) => isTransferredAt(releases[index]));
}

/**
 * Whether the file was transferred back to the caller by the nodes that an interrupted transfer had reached: they return
 * their shards, which only the owner can have, and so does every other node. One that has lost the file shows nothing.
 *
 * @throws the error of a node that would decide, and failed: to complete the transfer could give that node away again, and
 * to forget it could leave it behind
 */
async function isGivenBack(cid: string, { nodes, auth, done }: InterruptedCalls): Promise<boolean> {
  const access = await getAccess(cid, nodes);
  if (access?.owner !== auth.address || mayOpen(access, auth.address)) return false;
  const releases = await findReleases(cid, nodes, auth, ALL_NODES);
  if (releases.includes("denied") || done.every((node) => releases[node - 1] === "missing")) return false;
  const undecided = releases.find((release) => isKeeplightError(release));
  if (undecided) throw undecided;
  return true;
}

type Release = "released" | "denied" | "missing" | KeeplightError;

/** Finds out whether each node releases its shard to the caller: it may also have none, or fail, with the error returned. */
async function findReleases(cid: string, nodes: KeyNodes, auth: NodeAuth, numbers: readonly number[]) {
  const shared = shareSignIn(nodes, auth);
  await wait(nodes.pauseMs, nodes.call.signal);
  return mapNodes(nodes, numbers, async (node): Promise<Release> => {
    try {
      await retrieveShard(nodes, shared, node, cid);
      return "released";
    } catch (error) {
      if (!isKeeplightError(error) || error.code === "ABORTED") throw error;
      if (error.code === "CID_NOT_FOUND") return "missing";
      if (isDenial(error)) return "denied";
      // A signer that rejects would be asked again for each node.
      if (!isSingleNodeFault(error)) throw error;
      return error;
    }
  });
}

/** Whether an address may open the file without owning it. */
function mayOpen(access: AccessConditions, address: string): boolean {
  return hasConditions(access) || access.sharedTo.some((other) => other.toLowerCase() === address.toLowerCase());
}

/** Returns what the network reports about the file, or undefined if the request fails. */
async function getAccess(cid: string, nodes: KeyNodes): Promise<AccessConditions | undefined> {
  try {
    const access = await fetchAccessConditions(cid, nodes);
    return { ...access, owner: checkAddress(access.owner) };
  } catch (error) {
    if (!isKeeplightError(error) || error.code === "ABORTED") throw error;
    return undefined;
  }
}
