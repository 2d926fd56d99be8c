import { type OptionSchema, type Resolved, resolveOptions } from "../../base/operation.ts";
import { type Addresses, checkAddresses } from "../../base/validation/address.ts";
import { checkCid } from "../../formats/cid/check-cid.ts";
import type { EarlierEntry } from "../nodes/call-entry.ts";
import { type OwnerChangeOptions, ownerChangeSchema } from "../nodes/owner-call.ts";
import { type CompletedNodes, type OwnerOperation, runOnAllNodes } from "../nodes/run-on-all-nodes.ts";

/** Options of {@link kavachShare}. */
export type ShareOptions = OwnerChangeOptions & {
  /** Address or addresses that may recover the key from now on: EVM, or 44-character base58. */
  shareTo: Addresses;
};

const schema = { ...ownerChangeSchema, shareTo: checkAddresses } satisfies OptionSchema<ShareOptions>;

export const kavachShareOperation = { options: schema, run } satisfies OwnerOperation<ShareOptions>;

/**
 * Allows other addresses to recover the key of an encrypted file. Only its owner may do so. If a node fails, the others
 * still share it; calling again, or `resume()`, completes it.
 *
 * @throws `INVALID_CID`, `INVALID_ADDRESS`, `MISSING_OWNER`; an {@link UnfinishedError} if a node fails,
 * whose `details.nodesDone` and `details.failures` list the nodes and whose `resume()` calls those that failed
 */
export async function kavachShare(cid: string, options: ShareOptions): Promise<CompletedNodes> {
  return run(checkCid(cid), resolveOptions(schema, options));
}

function run(cid: string, options: Resolved<typeof schema>, entry?: EarlierEntry): Promise<CompletedNodes> {
  const { shareTo } = options;
  const request = (node: number, address: string) =>
    ({ method: "PUT", path: `/api/setSharedKey/${node}`, json: { address, cid, shareTo } }) as const;
  return runOnAllNodes({ kind: "share", cid, request }, options, { entry });
}
