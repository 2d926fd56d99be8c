import { type Resolved, resolveOptions } from "../../base/operation.ts";
import { type Addresses, checkAddresses } from "../../base/validation/address.ts";
import type { EarlierEntry } from "../nodes/call-entry.ts";
import { type OwnerChangeOptions, ownerChangeSchema } from "../nodes/owner-call.ts";
import { type CompletedNodes, type OwnerOperation, runOnAllNodes } from "../nodes/run-on-all-nodes.ts";

const stored = { ...ownerChangeSchema, delegates: checkDelegates };

export const kavachSetDelegatesOperation = {
  options: ownerChangeSchema,
  stored,
  run,
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
  return run("", { ...resolved, delegates: checkDelegates(delegates) });
}

function checkDelegates(delegates: unknown): string[] {
  return Array.isArray(delegates) && delegates.length === 0 ? [] : checkAddresses(delegates);
}

function run(_: string, options: Resolved<typeof stored>, entry?: EarlierEntry): Promise<CompletedNodes> {
  const { delegates } = options;
  const request = (node: number, address: string) =>
    ({ method: "POST", path: `/api/setAllFilesAccess/${node}`, json: { address, allFilesAccess: delegates } }) as const;
  return runOnAllNodes({ kind: "delegate", cid: undefined, request }, options, { entry });
}
