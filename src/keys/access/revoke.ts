import { type OptionSchema, type Resolved, resolveOptions } from "../../base/operation.ts";
import { type Addresses, checkAddresses } from "../../base/validation/address.ts";
import { checkCid } from "../../formats/cid/check-cid.ts";
import type { EarlierEntry } from "../nodes/call-entry.ts";
import { type OwnerChangeOptions, ownerChangeSchema } from "../nodes/owner-call.ts";
import { type CompletedNodes, type OwnerOperation, runOnAllNodes } from "../nodes/run-on-all-nodes.ts";

/** Options of {@link kavachRevoke}. */
export type RevokeOptions = OwnerChangeOptions & {
  /** Address or addresses that may no longer recover the key. */
  revokeTo: Addresses;
};

const schema = { ...ownerChangeSchema, revokeTo: checkAddresses } satisfies OptionSchema<RevokeOptions>;

export const kavachRevokeOperation = { options: schema, run } satisfies OwnerOperation<RevokeOptions>;

/**
 * Revokes the right of addresses to recover the key of an encrypted file that was shared to them. An address that has
 * already recovered the key keeps it. If a node fails, the others still revoke: once three of the five have revoked, the
 * key can no longer be recovered (with the default threshold of 3). Calling again, or `resume()`, completes it. A revoke
 * runs after a share of the same file that was called before it in the same process.
 *
 * @throws `INVALID_CID`, `INVALID_ADDRESS`, `MISSING_OWNER`; an {@link UnfinishedError} if a node fails,
 * whose `details.nodesDone` and `details.failures` list the nodes and whose `resume()` calls those that failed
 */
export async function kavachRevoke(cid: string, options: RevokeOptions): Promise<CompletedNodes> {
  return run(checkCid(cid), resolveOptions(schema, options));
}

function run(cid: string, options: Resolved<typeof schema>, entry?: EarlierEntry): Promise<CompletedNodes> {
  const { revokeTo } = options;
  const request = (node: number, address: string) =>
    ({ method: "DELETE", path: `/api/setSharedKey/${node}`, json: { address, cid, revokeTo } }) as const;
  return runOnAllNodes({ kind: "revoke", cid, request }, options, { entry });
}
