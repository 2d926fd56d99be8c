import { resolvePart } from "../../base/operation.ts";
import { DEFAULT_THRESHOLD, KEY_NODE_COUNT } from "../../config/limits.ts";
import { decryptUntrusted } from "../../crypto/decrypt.ts";
import { isKeeplightError } from "../../errors/base.ts";
import { cannotDecrypt } from "../../errors/crypto.ts";
import { keyNotProved } from "../../errors/recovery.ts";
import { recoverFileKeySchema, searchFileKey } from "../../kavach/keys/recover-file-key.ts";
import { checkKeys } from "./check-key.ts";
import type { OpenEncryptedOptions } from "./open-encrypted-options.ts";

/**
 * Finds a file's key and proves it: a part of the file does not reveal that its key is wrong.
 *
 * @param readAll - reads the whole file as it is stored
 */
export async function findProvedKey(
  cid: string,
  options: OpenEncryptedOptions,
  readAll: () => AsyncGenerator<Uint8Array>,
): Promise<string> {
  const { commitment, authenticate = false } = options;
  if (options.key !== undefined) {
    const keys = await checkKeys(cid, options);
    if (commitment === undefined && !authenticate) throw keyNotProved(cid);
    for (const key of keys) if (!authenticate || (await opens(key, readAll()))) return key;
    throw cannotDecrypt();
  }
  const strict = commitment === undefined && !authenticate;
  try {
    const { keys } = await searchFileKey(cid, resolvePart(recoverFileKeySchema, options), { strict, commitment });
    for await (const key of keys()) if (!authenticate || (await opens(key, readAll()))) return key;
  } catch (error) {
    throw strict && isOnlyUnproved(error) ? keyNotProved(cid, error) : error;
  }
  throw cannotDecrypt();
}

/** Whether enough nodes have a shard to open the file, but not to prove its key. */
function isOnlyUnproved(error: unknown): boolean {
  if (isKeeplightError(error, "NODES_FAILED")) return error.details.nodes.length <= KEY_NODE_COUNT - DEFAULT_THRESHOLD;
  return isKeeplightError(error, "CANNOT_RECOVER_KEY");
}

/** Whether the file's tag accepts the key. */
async function opens(key: string, file: AsyncGenerator<Uint8Array>): Promise<boolean> {
  try {
    for await (const _ of decryptUntrusted(file, key));
    return true;
  } catch (error) {
    if (isKeeplightError(error, "CANNOT_DECRYPT")) return false;
    throw error;
  }
}
