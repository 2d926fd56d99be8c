import { resolvePart } from "../../base/operation.ts";
import type { OpenFile } from "../../blocks/open-file.ts";
import { checkCommitment } from "../../crypto/commitment.ts";
import { recoverFileKeyNames } from "../../kavach/keys/recover-file-key.ts";
import { keyNodeSchema } from "../../kavach/nodes/node-client.ts";
import { checkBoolean } from "../../validation/boolean.ts";
import { checkOptions, fromNames } from "../../validation/check-options.ts";
import { checkCid } from "../../validation/cid.ts";
import { loadOnDemand } from "../load-on-demand.ts";
import type { OpenEncryptedOptions } from "./open-encrypted-options.ts";
import { findProvedKey } from "./prove-key.ts";

export const openEncryptedNames = [recoverFileKeyNames, "key,commitment,authenticate"] as const;

export const openEncryptedOperation = { options: fromNames(openEncryptedNames) };

/**
 * Opens an encrypted file to read any part of it, decrypted: every block is verified against the content id, and the
 * key is proved first, since a part of a file does not reveal that its key is wrong. Four of the five key nodes have to
 * agree on it; `commitment`, or `authenticate` with a whole pass over the file, prove it as well. At most 32 MiB are held,
 * regardless of the size of the file.
 *
 * @returns the file, whose calls throw what this one throws
 * @throws `KEY_NOT_PROVED` if fewer than four shards agree, or for a `key` without proof; `INVALID_CID`, `INVALID_KEY`,
 * `MISSING_OWNER`, `COMMITMENT_MISMATCH`; `CANNOT_DECRYPT` for a file that is none, or whose tag refuses the key; what
 * {@link openFile} and {@link kavachRecoverShards} throw
 *
 * @example
 * const film = await openEncrypted(cid, { signer });
 * const scene = film.stream({ from: 1_000_000_000 });
 */
export async function openEncrypted(cid: string, options: OpenEncryptedOptions): Promise<OpenFile> {
  options = checkOptions(options, openEncryptedNames);
  checkCommitment(options.commitment);
  checkBoolean("authenticate", options.authenticate);
  // The nodes are called later, after the gateways.
  resolvePart(keyNodeSchema, options);
  cid = checkCid(cid);
  const { openEncryptedBlocks } = await loadOnDemand();
  const file = await openEncryptedBlocks(cid, options);
  return file.decryptWith(await findProvedKey(cid, options, file.readAll));
}
