import { TRANSFER_TIMEOUT_MS } from "../base/config/limits.ts";
import { type Resolved, resolvePart } from "../base/operation.ts";
import { type CallOptions, resolveCall } from "../base/options.ts";
import { type ownerSchema, resolveOwner } from "../keys/auth/owner.ts";
import { recoverFileKeySchema, searchFileKey } from "../keys/file-keys/recover-file-key.ts";
import { openKeyNodes } from "../keys/nodes/node-client.ts";
import type { OpenFile } from "../network/blocks/open-file.ts";
import { loadOnDemand } from "../storage/load-on-demand.ts";

/**
 * Returns the address of the account that owner options are of. Signs nothing.
 *
 * @param options - as `resolveOptions(ownerCallSchema, options)` returns them
 * @throws `MISSING_OWNER`, `INVALID_ADDRESS`, what the signer throws
 */
export async function getOwnerAddress(
  options: Resolved<typeof ownerSchema> & Parameters<typeof openKeyNodes>[0],
): Promise<string> {
  return (await resolveOwner(options, openKeyNodes(options))).address;
}

/**
 * Opens an encrypted file, verified by its blocks, with each key that the key nodes' shards may stand for, the likeliest first.
 * Nothing has proved any of the keys: the caller looks for what only the right one can decrypt, and reads on until then.
 *
 * @param options - as `resolveOptions(recoverFileKeySchema, options)` returns them
 * @throws `CANNOT_DECRYPT` for a file that is too short, what `openEncrypted` throws
 */
export async function* openByKeys(
  cid: string,
  options: Omit<Resolved<typeof recoverFileKeySchema>, "timeoutMs"> & CallOptions,
): AsyncGenerator<OpenFile, void, undefined> {
  const { openEncryptedBlocks } = await loadOnDemand();
  const blocks = await openEncryptedBlocks(cid, resolveCall(options, TRANSFER_TIMEOUT_MS));
  const { keys } = await searchFileKey(cid, resolvePart(recoverFileKeySchema, options));
  for await (const key of keys()) yield await blocks.decryptWith(key);
}
