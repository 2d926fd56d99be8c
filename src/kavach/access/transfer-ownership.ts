import { wait } from "../../async/abort.ts";
import { isKeeplightError } from "../../errors/base.ts";
import { invalidOption } from "../../errors/input.ts";
import { ownedByOther } from "../../errors/nodes.ts";
import { checkAddress } from "../../validation/address.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { checkCid } from "../../validation/cid.ts";
import { retrieveShard } from "../keys/recover-shards.ts";
import type { KeyNodes } from "../nodes/node-client.ts";
import {
  type CompletedNodes,
  isDenial,
  type OwnerCallOptions,
  ownerCallNames,
  type RefusedCalls,
  runOnAllNodes,
} from "../nodes/run-on-all-nodes.ts";
import { type AccessConditions, kavachGetAccessConditions } from "./get-access-conditions.ts";

/** Options of {@link kavachTransferOwnership}. */
export type TransferOwnershipOptions = OwnerCallOptions & {
  /** The address that owns the file from now on: EVM, or 44-character base58. */
  newOwner: string;
  /** Whether the addresses that the file is shared to lose their access. Default true. */
  resetSharedTo?: boolean | undefined;
};

export const transferOwnershipNames = [ownerCallNames, "newOwner,resetSharedTo"] as const;

/**
 * Hands an encrypted file over to another owner, who alone may share, revoke and hand over from then on.
 * Only its owner may.
 *
 * A node that fails does not keep the others from handing it over. A transfer that was left half done, some nodes with
 * the old owner and some with the new one, is completed by either: the old owner calls again with the same `newOwner`,
 * or the new owner hands the file back with the old owner as `newOwner`. A node that denies the caller the file then
 * counts as done if the network names `newOwner` as the owner. The network names one owner for all nodes, so a node that
 * belongs to a third address would count as well; `kavachInspect` by the new owner shows it as `refused`. Nobody but the
 * old owner can hand over the nodes that are still theirs: a new owner who calls with their own address learns which
 * those are.
 *
 * @throws `INVALID_CID`, `INVALID_ADDRESS`, `INVALID_OPTION`, `MISSING_OWNER`; an {@link UnfinishedError} if a node
 * fails, whose `details.nodesDone` and `details.failures` list the nodes and whose `resume()` calls those that failed;
 * its code is `NOT_OWNER` where the new owner calls and some nodes still belong to somebody else
 */
export async function kavachTransferOwnership(cid: string, options: TransferOwnershipOptions): Promise<CompletedNodes> {
  checkOptions(options, transferOwnershipNames);
  cid = checkCid(cid);
  const newOwner = checkAddress(options?.newOwner);
  const { resetSharedTo = true } = options;
  if (typeof resetSharedTo !== "boolean") throw invalidOption("resetSharedTo", "true or false");
  return runOnAllNodes(
    {
      request: (node, address) => ({
        method: "POST",
        path: `/api/transferOwnership/${node}`,
        json: { address, cid, newOwner, resetSharedTo },
      }),
      settled: (calls) => prepareNodes(newOwner, cid, calls),
    },
    options,
  );
}

/**
 * Which of the nodes that denied the caller the file belong to the new owner. The network names one owner for all nodes,
 * who may be of a node that was handed over just now: a node counts only if it denies the caller its shard as well.
 */
async function prepareNodes(
  newOwner: string,
  cid: string,
  { nodes, auth, refused, doneNow, done }: RefusedCalls,
): Promise<readonly number[]> {
  if (auth.address === newOwner) {
    // The nodes that did it were the caller's already, and the others are not.
    if (done.length > 0) throw ownedByOther(cid, refused);
    return [];
  }
  const access = await accessOf(cid, nodes);
  if (access?.owner !== newOwner) return [];
  // Then a shard does not show that the caller still owns the file.
  if (doneNow.length === 0 && mayOpen(access, auth.address)) return refused;
  const denying: number[] = [];
  for (const node of refused) {
    await wait(nodes.pauseMs, nodes.call.signal);
    if (await denies(retrieveShard(nodes, auth, node, cid, {}))) denying.push(node);
  }
  return denying;
}

async function denies(request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return false;
  } catch (error) {
    if (!isKeeplightError(error) || error.code === "ABORTED") throw error;
    return isDenial(error);
  }
}

/** Whether an address that does not own the file may open it. */
function mayOpen({ sharedTo, conditions, conditionsSolana }: AccessConditions, address: string): boolean {
  const hasConditions = conditions.length + conditionsSolana.length > 0;
  return hasConditions || sharedTo.some((other) => other.toLowerCase() === address.toLowerCase());
}

/** What the network tells of the file, or undefined where it does not. */
async function accessOf(cid: string, { call, attempts, retryMs }: KeyNodes): Promise<AccessConditions | undefined> {
  try {
    const access = await kavachGetAccessConditions(cid, { ...call, attempts, retryMs });
    return { ...access, owner: checkAddress(access.owner) };
  } catch (error) {
    if (!isKeeplightError(error) || error.code === "ABORTED") throw error;
    return undefined;
  }
}
