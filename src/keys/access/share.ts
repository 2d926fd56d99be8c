import { type OptionSchema, resolveOptions } from "../../base/operation.ts";
import { type Addresses, checkAddresses } from "../../base/validation/address.ts";
import { type OwnerChangeOptions, ownerChangeSchema } from "../auth/owner.ts";
import { type CompletedNodes, defineOwnerCall } from "../nodes/run-on-all-nodes.ts";

/** Options of {@link kavachShare}. */
export type ShareOptions = OwnerChangeOptions & {
  /** Address or addresses that may recover the key from now on: EVM, or 44-character base58. */
  shareTo: Addresses;
};

const shareSchema = { ...ownerChangeSchema, shareTo: checkAddresses } satisfies OptionSchema<ShareOptions>;

export const kavachShareOperation = defineOwnerCall("share", shareSchema, (cid, { shareTo }) => ({
  request: (node, address) => ({
    method: "PUT",
    path: `/api/setSharedKey/${node}`,
    json: { address, cid, shareTo },
  }),
}));

/**
 * Allows other addresses to recover the key of an encrypted file. Only its owner may do so. If a node fails, the others
 * still share it; calling again, or `resume()`, completes it.
 *
 * @throws `INVALID_CID`, `INVALID_ADDRESS`, `MISSING_OWNER`; an {@link UnfinishedError} if a node fails,
 * whose `details.nodesDone` and `details.failures` list the nodes and whose `resume()` calls those that failed
 */
export async function kavachShare(cid: string, options: ShareOptions): Promise<CompletedNodes> {
  return kavachShareOperation.call(cid, options);
}

/** Options of {@link kavachRevoke}. */
export type RevokeOptions = OwnerChangeOptions & {
  /** Address or addresses that may no longer recover the key. */
  revokeTo: Addresses;
};

const revokeSchema = { ...ownerChangeSchema, revokeTo: checkAddresses } satisfies OptionSchema<RevokeOptions>;

export const kavachRevokeOperation = defineOwnerCall("revoke", revokeSchema, (cid, { revokeTo }) => ({
  request: (node, address) => ({
    method: "DELETE",
    path: `/api/setSharedKey/${node}`,
    json: { address, cid, revokeTo },
  }),
}));

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
  return kavachRevokeOperation.call(cid, options);
}

const storedDelegates = { ...ownerChangeSchema, delegates: checkDelegates };

const setDelegates = defineOwnerCall("delegate", storedDelegates, (_, { delegates }) => ({
  cid: undefined,
  request: (node, address) => ({
    method: "POST",
    path: `/api/setAllFilesAccess/${node}`,
    json: { address, allFilesAccess: delegates },
  }),
}));

export const kavachSetDelegatesOperation = { ...setDelegates, options: ownerChangeSchema, stored: storedDelegates };

/**
 * Sets which other accounts may recover the keys of **all** encrypted files of the owner, those saved later too. They
 * open a file with the option `ownerAddress`. They may not share, revoke, transfer or repair. The list replaces the
 * former one: with `[]` nobody is a delegate any more. A delegate who has already recovered keys keeps them.
 *
 * If a node fails, the others still carry it out; calling again, or `resume()`, completes it. A call runs after those that
 * were made before it in the same process.
 *
 * The network documents how to delegate, and not how to revoke: that the list replaces the former one is what the name of
 * the request says. Check with the delegate's account that a revocation has taken effect.
 *
 * @param delegates - address or addresses: EVM, or 44-character base58; `[]` for none
 * @throws `INVALID_ADDRESS`, `MISSING_OWNER`; an {@link UnfinishedError} if a node fails, whose `details.nodesDone` and
 * `details.failures` list the nodes and whose `resume()` calls those that failed
 *
 * @example
 * await kavachSetDelegates("0x1a7e9b3c5d7f9b1c3e5a7c9e1b3d5f7a9c1e3b5d", { signer });
 */
export async function kavachSetDelegates(delegates: Addresses, options: OwnerChangeOptions): Promise<CompletedNodes> {
  const resolved = resolveOptions(ownerChangeSchema, options);
  return setDelegates.run("", { ...resolved, delegates: checkDelegates(delegates) });
}

function checkDelegates(delegates: unknown): string[] {
  return Array.isArray(delegates) && delegates.length === 0 ? [] : checkAddresses(delegates);
}
