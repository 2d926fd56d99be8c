import { type Addresses, checkAddresses } from "../../validation/address.ts";
import { checkOptions, fromNames } from "../../validation/check-options.ts";
import { checkCid } from "../../validation/cid.ts";
import { type OwnerChangeOptions, ownerChangeNames } from "../nodes/owner-call.ts";
import { type CompletedNodes, runOnAllNodes } from "../nodes/run-on-all-nodes.ts";

/** Options of {@link kavachShare}. */
export type ShareOptions = OwnerChangeOptions & {
  /** Address or addresses that may recover the key from now on: EVM, or 44-character base58. */
  shareTo: Addresses;
};

export const shareNames = [ownerChangeNames, "shareTo"] as const;

export const kavachShareOperation = { options: fromNames(shareNames) };

/**
 * Allows other addresses to recover the key of an encrypted file. Only its owner may do so. If a node fails, the others
 * still share it; calling again, or `resume()`, completes it.
 *
 * @throws `INVALID_CID`, `INVALID_ADDRESS`, `MISSING_OWNER`; an {@link UnfinishedError} if a node fails,
 * whose `details.nodesDone` and `details.failures` list the nodes and whose `resume()` calls those that failed
 */
export async function kavachShare(cid: string, options: ShareOptions): Promise<CompletedNodes> {
  options = checkOptions(options, shareNames);
  cid = checkCid(cid);
  const shareTo = checkAddresses(options.shareTo);
  return runOnAllNodes(
    {
      kind: "share",
      cid,
      parameters: { shareTo },
      request: (node, address) => ({
        method: "PUT",
        path: `/api/setSharedKey/${node}`,
        json: { address, cid, shareTo },
      }),
    },
    options,
  );
}
