import { findFile } from "../../blocks/find-file.ts";
import { type OpenFile, toOpenFile } from "../../blocks/open-file.ts";
import { readFile } from "../../blocks/read-file.ts";
import { DEFAULT_THRESHOLD, KEY_NODE_COUNT, TRANSFER_TIMEOUT_MS } from "../../config/limits.ts";
import { decryptUntrusted } from "../../crypto/decrypt.ts";
import { openRangeDecryptor } from "../../crypto/decrypt-range.ts";
import { HEADER_BYTES, plaintextSize } from "../../crypto/file-format.ts";
import { isKeeplightError } from "../../errors/base.ts";
import { cannotDecrypt } from "../../errors/crypto.ts";
import { keyNotProved } from "../../errors/recovery.ts";
import { searchFileKey } from "../../kavach/keys/recover-file-key.ts";
import { resolveReadCall } from "../../options.ts";
import { concatBytes } from "../../streams/bytes.ts";
import { checkKey } from "./check-key.ts";
import type { OpenEncryptedOptions } from "./open-encrypted-options.ts";

type Chunks = AsyncGenerator<Uint8Array>;

/** Opens an encrypted file whose options are checked; see the public function of this name. */
export async function openEncryptedFile(cid: string, options: OpenEncryptedOptions): Promise<OpenFile> {
  const call = resolveReadCall(options, TRANSFER_TIMEOUT_MS);
  const source = await findFile(cid, [], call);
  const size = plaintextSize(source.root.size);
  const readFrom = (from: number, to: number) => readFile(source, { from, to }, call.signal);
  const key = await findKey(cid, options, () => readFrom(0, source.root.size));
  const header: Uint8Array[] = [];
  for await (const part of readFrom(0, HEADER_BYTES)) header.push(part);
  const { decrypt } = await openRangeDecryptor(key, concatBytes(header));

  async function* read(from: number, to: number): Chunks {
    let position = from;
    for await (const part of readFrom(HEADER_BYTES + from, HEADER_BYTES + to)) {
      yield await decrypt(part, position);
      position += part.length;
    }
  }
  return toOpenFile(size, read, () => source.gateways.report());
}

/** Finds the file's key and proves it: a part of a file does not reveal that its key is wrong. */
async function findKey(cid: string, options: OpenEncryptedOptions, readAll: () => Chunks): Promise<string> {
  const { commitment, authenticate = false } = options;
  if (options.key !== undefined) {
    const key = await checkKey(cid, options);
    if (commitment === undefined && !(authenticate && (await opens(key, readAll())))) {
      throw authenticate ? cannotDecrypt() : keyNotProved(cid);
    }
    return key;
  }
  const strict = commitment === undefined && !authenticate;
  try {
    const { keys } = await searchFileKey(cid, options, { strict, commitment });
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
async function opens(key: string, file: Chunks): Promise<boolean> {
  try {
    for await (const _ of decryptUntrusted(file, key));
    return true;
  } catch (error) {
    if (isKeeplightError(error, "CANNOT_DECRYPT")) return false;
    throw error;
  }
}
