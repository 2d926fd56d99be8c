import { DEFAULT_THRESHOLD, KEY_NODE_COUNT, TRANSFER_TIMEOUT_MS } from "../../base/config/limits.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { cannotDecrypt } from "../../base/errors/input.ts";
import { keyNotProved } from "../../base/errors/verification.ts";
import { boolean, type Operation, type Resolved, resolveOptions } from "../../base/operation.ts";
import type { CallOptions } from "../../base/options.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import { decryptUntrusted } from "../../formats/crypto/decrypt.ts";
import { keyProofSchema } from "../../keys/file-keys/recover-file-key.ts";
import type { OpenFile } from "../../network/blocks/open-file.ts";
import { loadOnDemand } from "../load-on-demand.ts";
import { type FileKeyOptions, fileKeySchema, listGivenKeys, searchKeyNodes } from "./decrypt.ts";

/** Options of {@link openEncrypted}. */
export type OpenEncryptedOptions = CallOptions &
  FileKeyOptions & {
    /** Accept only the key that {@link commitToKey} returns this for. @default none */
    commitment?: string | undefined;
    /**
     * Prove the key by reading the whole file once and checking its tag: for files of which fewer than four shards are
     * left, and for a `key` without `commitment`.
     *
     * @default false
     */
    authenticate?: boolean | undefined;
  };

export const openEncryptedOperation = {
  options: {
    ...fileKeySchema,
    commitment: keyProofSchema.commitment,
    authenticate: boolean(false),
  },
} satisfies Operation<OpenEncryptedOptions>;

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
  const resolved = resolveOptions(openEncryptedOperation.options, options);
  cid = checkCid(cid);
  const { openEncryptedBlocks } = await loadOnDemand();
  const { timeoutMs = TRANSFER_TIMEOUT_MS } = resolved;
  const file = await openEncryptedBlocks(cid, { ...resolved, timeoutMs });
  return file.decryptWith(await findProvedKey(cid, resolved, file.readAll));
}

/** @param readAll - reads the whole file as it is stored */
async function findProvedKey(
  cid: string,
  options: Resolved<typeof openEncryptedOperation.options>,
  readAll: () => AsyncGenerator<Uint8Array>,
): Promise<string> {
  const { key, commitment, authenticate } = options;
  const strict = commitment === undefined && !authenticate;
  if (key !== undefined && strict) throw keyNotProved(cid);
  try {
    const keys =
      key === undefined
        ? (await searchKeyNodes(cid, options, { strict, commitment })).keys()
        : await listGivenKeys(cid, key, commitment);
    for await (const each of keys) if (!authenticate || (await opens(each, readAll()))) return each;
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

async function opens(key: string, file: AsyncGenerator<Uint8Array>): Promise<boolean> {
  try {
    for await (const _ of decryptUntrusted(file, key));
    return true;
  } catch (error) {
    if (isKeeplightError(error, "CANNOT_DECRYPT")) return false;
    throw error;
  }
}
