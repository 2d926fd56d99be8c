import { derivationsAtOnce, gcm, pbkdf2 } from "#platform";
import { TRANSFER_TIMEOUT_MS } from "../base/config/limits.ts";
import { isKeeplightError, type KeeplightError } from "../base/errors/base.ts";
import { isSignInFault } from "../base/errors/nodes.ts";
import { type Resolved, resolvePart } from "../base/operation.ts";
import { type CallOptions, resolveCall } from "../base/options.ts";
import { concatBytes } from "../base/streams/bytes.ts";
import { decryptUntrusted } from "../formats/crypto/decrypt.ts";
import { encryptChunks } from "../formats/crypto/encrypt.ts";
import { deriveFileKey, PBKDF2_ITERATIONS, SALT_BYTES } from "../formats/crypto/file-format.ts";
import { type ownerSchema, resolveOwner } from "../keys/auth/owner.ts";
import { recoverFileKeySchema, searchFileKey } from "../keys/file-keys/recover-file-key.ts";
import { openKeyNodes } from "../keys/nodes/node-client.ts";
import type { OpenFile } from "../network/blocks/open-file.ts";
import { IV_BYTES } from "../platform/aes-gcm/gcm.ts";
import { loadOnDemand } from "../storage/load-on-demand.ts";

/** Encrypts and decrypts many files with one master key, in the format of all encrypted files. Memory use is constant. */
interface FileCipher {
  /**
   * Encrypts a file under a random iv: the same bytes never yield the same ciphertext, which is 44 bytes longer.
   *
   * @param salt - 16 bytes; files of one salt share the derivation of their key
   * @param iv - 12 bytes, to encrypt the same file again, to the same bytes. Under one salt and iv, any other bytes would reveal
   * themselves and those of before. Default random
   */
  encrypt(plain: AsyncIterable<Uint8Array>, salt: Uint8Array, iv?: Uint8Array): AsyncIterable<Uint8Array>;
  /**
   * Decrypts a file. What it yields must not be used before it has ended without an error.
   *
   * @throws `CANNOT_DECRYPT`
   */
  decrypt(ciphertext: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
}

/** Derived keys that a cipher holds: files that another program encrypted may have a salt each. */
const MAX_SALTS = 1_000;

/**
 * Creates the cipher of a master key, which derives the key of each salt once.
 *
 * @param masterKey - 64 hex digits
 */
export function createFileCipher(masterKey: string): FileCipher {
  const derived = new Map<string, Promise<Uint8Array>>();

  function derive(salt: Uint8Array): Promise<Uint8Array> {
    const name = String(salt);
    const known = derived.get(name);
    if (known !== undefined) return known;
    if (derived.size >= MAX_SALTS) derived.clear();
    const key = deriveFileKey(masterKey, salt);
    derived.set(name, key);
    return key;
  }

  return {
    encrypt(plain, salt, iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))) {
      const open = async () => ({
        header: concatBytes([salt, iv]),
        encryptor: await gcm.encryptor({ key: await derive(salt), iv }),
      });
      return encryptChunks(plain, { open });
    },
    async *decrypt(ciphertext) {
      yield* decryptUntrusted(ciphertext, derive);
    },
  };
}

/**
 * Measures how long this machine takes to derive the key of one file, if it derives the keys of many: as many at a time as it
 * does for an upload.
 *
 * @returns milliseconds
 */
export async function measureDerivation(): Promise<number> {
  const concurrent = derivationsAtOnce();
  const password = new Uint8Array(64);
  const salt = new Uint8Array(SALT_BYTES);
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: concurrent }, () => pbkdf2(password, salt, PBKDF2_ITERATIONS)));
  return (performance.now() - startedAt) / concurrent;
}

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
 * Signs an account in to the key nodes, unless it is: its signer is prompted now, and by no later call.
 *
 * @param options - as `resolveOptions(ownerCallSchema, options)` returns them
 * @returns how the nodes have failed, which may be left to the first call that needs them
 * @throws `MISSING_OWNER`, `INVALID_ADDRESS`, `SIGNATURE_REJECTED`, `INVALID_SIGNATURE`, `ABORTED`
 */
export async function signInToKeyNodes(
  options: Resolved<typeof ownerSchema> & Parameters<typeof openKeyNodes>[0],
): Promise<KeeplightError | undefined> {
  const owner = await resolveOwner(options, openKeyNodes(options));
  try {
    await owner.token();
    return undefined;
  } catch (error) {
    if (isKeeplightError(error) && isSignInFault(error)) return error;
    throw error;
  }
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
