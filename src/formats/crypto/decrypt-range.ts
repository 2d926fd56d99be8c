import { BLOCK_BYTES, FIRST_TEXT_COUNTER } from "../../platform/aes-gcm/gcm.ts";
import { openGcmParts } from "../../platform/aes-gcm/webcrypto.ts";
import { deriveFileKey, HEADER_BYTES, SALT_BYTES } from "./file-format.ts";

/**
 * Opens a decryptor of parts of a file by the counter mode within GCM (NIST SP 800-38D, 6.5), which never reaches the tag:
 * the caller must have proved the key and verified the ciphertext.
 *
 * @param header - the first bytes of the file: salt and iv
 */
export async function openRangeDecryptor(masterKey: string, header: Uint8Array) {
  const key = await deriveFileKey(masterKey, header.subarray(0, SALT_BYTES));
  const { ctr } = await openGcmParts({ key, iv: header.subarray(SALT_BYTES, HEADER_BYTES) });
  return {
    /** Decrypts ciphertext that starts at this position of the text, in bytes. NOT authenticated: see the caller. */
    async decrypt(ciphertext: Uint8Array, position: number): Promise<Uint8Array> {
      const within = position % BLOCK_BYTES;
      const aligned = new Uint8Array(within + ciphertext.length);
      aligned.set(ciphertext, within);
      const text = await ctr(aligned, FIRST_TEXT_COUNTER + (position - within) / BLOCK_BYTES);
      return text.subarray(within);
    },
  };
}
