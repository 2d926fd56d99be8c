import { invalidOption } from "../errors/input.ts";
import { checkAddress } from "../input/address.ts";
import { checkOptions } from "../input/check-options.ts";
import { checkCid } from "../input/cid.ts";
import { type NodesDone, type OwnerCallOptions, ownerCallNames, runOnAllNodes } from "./all-nodes.ts";

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
 * @throws `INVALID_CID`, `INVALID_ADDRESS`, `INVALID_OPTION`, `MISSING_OWNER`; an {@link UnfinishedError}
 * if a node fails, whose `details.nodesDone` says which nodes have the new owner already and whose
 * `resume()` does the others
 */
export async function kavachTransferOwnership(cid: string, options: TransferOwnershipOptions): Promise<NodesDone> {
  checkOptions(options, transferOwnershipNames);
  checkCid(cid);
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
    },
    options,
  );
}
