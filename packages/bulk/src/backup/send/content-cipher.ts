import { bytesToHex } from "@noble/hashes/utils.js";
import {
  cannotDecrypt,
  concatBytes,
  createTailBuffer,
  deriveFileKey,
  encryptChunks,
  gcm,
  HEADER_BYTES,
  IV_BYTES,
  SALT_BYTES,
  TAG_BYTES,
} from "keeplight/parts";

/** Encrypts and decrypts the files of a backup set, in the format of all encrypted files. */
export interface ContentCipher {
  /** Encrypts a file under an iv of its own, each time another one: what is sent twice reveals nothing. */
  encrypt(plain: AsyncIterable<Uint8Array>, salt: Uint8Array): AsyncIterable<Uint8Array>;
  /**
   * Decrypts a file. What it yields must not be used before it has ended without an error.
   *
   * @throws `CANNOT_DECRYPT`
   */
  decrypt(ciphertext: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
}

/**
 * Creates the cipher of a master key. All files of a set have one salt, so that its key is derived once, and not for each of
 * them.
 *
 * @param masterKey - 64 hex digits
 */
export function createContentCipher(masterKey: string): ContentCipher {
  const derived = new Map<string, Promise<Uint8Array>>();

  function derive(salt: Uint8Array): Promise<Uint8Array> {
    const name = bytesToHex(salt);
    const known = derived.get(name);
    if (known !== undefined) return known;
    // A snapshot that another program wrote may have a salt for each file.
    if (derived.size >= MAX_SALTS) derived.clear();
    const key = deriveFileKey(masterKey, salt);
    derived.set(name, key);
    return key;
  }

  return {
    encrypt(plain, salt) {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const open = async () => ({
        header: concatBytes([salt, iv]),
        encryptor: await gcm.encryptor({ key: await derive(salt), iv }),
      });
      return encryptChunks(plain, { open });
    },
    async *decrypt(ciphertext) {
      let header = new Uint8Array(0);
      const tail = createTailBuffer(TAG_BYTES);
      let decryptor: Awaited<ReturnType<typeof gcm.decryptor>> | undefined;
      for await (const chunk of ciphertext) {
        const missing = HEADER_BYTES - header.length;
        if (missing > 0) header = concatBytes([header, chunk.subarray(0, missing)]);
        if (header.length < HEADER_BYTES) continue;
        decryptor ??= await gcm.decryptor({
          key: await derive(header.subarray(0, SALT_BYTES)),
          iv: header.subarray(SALT_BYTES),
        });
        yield await decryptor.update(tail.push(chunk.subarray(Math.max(missing, 0))));
      }
      const last = tail.finish();
      if (!decryptor || last.tail.length < TAG_BYTES) throw cannotDecrypt();
      yield await decryptor.update(last.body);
      yield await decryptor.finish(last.tail);
    },
  };
}

const MAX_SALTS = 1_000;
