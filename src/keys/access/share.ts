import { type OptionSchema, type Resolved, resolveOptions } from "../../base/operation.ts";
import { type Addresses, checkAddresses } from "../../base/validation/address.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import { type OwnerChangeOptions, ownerChangeSchema } from "../auth/owner.ts";
import type { EarlierEntry } from "../nodes/call-entry.ts";
import { type CompletedNodes, type OwnerOperation, runOnAllNodes } from "../nodes/run-on-all-nodes.ts";

/** Options of {@link kavachShare}. */
export type ShareOptions = OwnerChangeOptions & {
  /** Address or addresses that may recover the key from now on: EVM, or 44-character base58. */
  shareTo: Addresses;
};

const shareSchema = { ...ownerChangeSchema, shareTo: checkAddresses } satisfies OptionSchema<ShareOptions>;

export const kavachShareOperation = { options: shareSchema, run: runShare } satisfies OwnerOperation<ShareOptions>;

/**
 * Allows other addresses to recover the key of an encrypted file. Only its owner may do so. If a node fails, the others
 * still share it; calling again, or `resume()`, completes it.
 *
 * @throws `INVALID_CID`, `INVALID_ADDRESS`, `MISSING_OWNER`; an {@link UnfinishedError} if a node fails,
 * whose `details.nodesDone` and `details.failures` list the nodes and whose `resume()` calls those that failed
 */
export async function kavachShare(cid: string, options: ShareOptions): Promise<CompletedNodes> {
  return runShare(checkCid(cid), resolveOptions(shareSchema, options));
}

function runShare(cid: string, options: Resolved<typeof shareSchema>, entry?: EarlierEntry): Promise<CompletedNodes> {
  const { shareTo } = options;
  const request = (node: number, address: string) =>
    ({ method: "PUT", path: `/api/setSharedKey/${node}`, json: { address, cid, shareTo } }) as const;
  return runOnAllNodes({ kind: "share", cid, request }, options, { entry });
}

/** Options of {@link kavachRevoke}. */
export type RevokeOptions = OwnerChangeOptions & {
  /** Address or addresses that may no longer recover the key. */
  revokeTo: Addresses;
};

const revokeSchema = { ...ownerChangeSchema, revokeTo: checkAddresses } satisfies OptionSchema<RevokeOptions>;

export const kavachRevokeOperation = { options: revokeSchema, run: runRevoke } satisfies OwnerOperation<RevokeOptions>;

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
  return runRevoke(checkCid(cid), resolveOptions(revokeSchema, options));
}

function runRevoke(cid: string, options: Resolved<typeof revokeSchema>, entry?: EarlierEntry): Promise<CompletedNodes> {
  const { revokeTo } = options;
  const request = (node: number, address: string) =>
    ({ method: "DELETE", path: `/api/setSharedKey/${node}`, json: { address, cid, revokeTo } }) as const;
  return runOnAllNodes({ kind: "revoke", cid, request }, options, { entry });
}

const storedDelegates = { ...ownerChangeSchema, delegates: checkDelegates };

export const kavachSetDelegatesOperation = {
  options: ownerChangeSchema,
  stored: storedDelegates,
  run: runSetDelegates,
} satisfies OwnerOperation<OwnerChangeOptions>;

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
  return runSetDelegates("", { ...resolved, delegates: checkDelegates(delegates) });
}

function checkDelegates(delegates: unknown): string[] {
  return Array.isArray(delegates) && delegates.length === 0 ? [] : checkAddresses(delegates);
}

function runSetDelegates(
  _: string,
  options: Resolved<typeof storedDelegates>,
  entry?: EarlierEntry,
): Promise<CompletedNodes> {
  const { delegates } = options;
  const request = (node: number, address: string) =>
    ({ method: "POST", path: `/api/setAllFilesAccess/${node}`, json: { address, allFilesAccess: delegates } }) as const;
  return runOnAllNodes({ kind: "delegate", cid: undefined, request }, options, { entry });
}
