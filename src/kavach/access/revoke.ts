import { checkAddresses } from "../../validation/address.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { checkCid } from "../../validation/cid.ts";
import {
  type CompletedNodes,
  type OwnerCallOptions,
  ownerCallNames,
  runOnAllNodes,
} from "../nodes/run-on-all-nodes.ts";

/** Options of {@link kavachRevoke}. */
export type RevokeOptions = OwnerCallOptions & {
  /** Address or addresses that may no longer recover the key. */
  revokeTo: string | readonly string[];
};

export const revokeNames = [ownerCallNames, "revokeTo"] as const;

/**
 * Takes the right to recover the key of an encrypted file from addresses it was shared to. Who has
 * recovered the key before keeps it. A node that fails does not keep the others from revoking: once three of the five
 * have revoked, the key cannot be recovered any more (with the default threshold of 3). Calling again, or `resume()`,
 * completes it.
 *
 * @throws `INVALID_CID`, `INVALID_ADDRESS`, `MISSING_OWNER`; an {@link UnfinishedError} if a node fails,
 * whose `details.nodesDone` and `details.failures` list the nodes and whose `resume()` calls those that failed
 */
export async function kavachRevoke(cid: string, options: RevokeOptions): Promise<CompletedNodes> {
  checkOptions(options, revokeNames);
  cid = checkCid(cid);
  const revokeTo = checkAddresses(options?.revokeTo);
  return runOnAllNodes(
    {
      request: (node, address) => ({
        method: "DELETE",
        path: `/api/setSharedKey/${node}`,
        json: { address, cid, revokeTo },
      }),
    },
    options,
  );
}
