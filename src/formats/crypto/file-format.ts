import { pbkdf2 } from "#platform";
import { cannotDecrypt, invalidKey } from "../../base/errors/input.ts";
import { IV_BYTES, TAG_BYTES } from "../../platform/aes-gcm/gcm.ts";

// An encrypted file is salt ‖ iv ‖ AES-256-GCM ciphertext ‖ tag. PBKDF2 derives the AES key from the file's
// master key and the salt. All clients of the network read and write this format, so none of it can change.

export { IV_BYTES, TAG_BYTES };

/** Bytes of the random salt at the start of a file. */
export const SALT_BYTES = 16;

/** Bytes before the ciphertext: salt and iv. */
export const HEADER_BYTES = SALT_BYTES + IV_BYTES;

/** Bytes that encryption adds to a file. */
export const OVERHEAD_BYTES = HEADER_BYTES + TAG_BYTES;

/** Maximum bytes of a file's plaintext: what one GCM message can hold (NIST SP 800-38D, 5.2.1.1). */
export const MAX_PLAINTEXT_BYTES = 2 ** 36 - 32;

/** Rounds of PBKDF2-HMAC-SHA-256 between the master key and the AES key. */
export const PBKDF2_ITERATIONS = 250_000;

/** Computes the size of the encrypted file of a plaintext of `plain` bytes. */
export function encryptedSize(plain: number): number {
  return plain + OVERHEAD_BYTES;
}

/** The reverse of {@link encryptedSize}; throws `CANNOT_DECRYPT` if no encrypted file is that short. */
export function plaintextSize(cipher: number): number {
  if (cipher < OVERHEAD_BYTES) throw cannotDecrypt();
  return cipher - OVERHEAD_BYTES;
}

/**
 * Returns a file's master key as the format requires it: 64 lower-case hexadecimal characters. Lowers upper-case ones.
 * Throws `INVALID_KEY` for anything else; the error does not contain the value.
 */
export function assertMasterKey(key: unknown): string {
  if (typeof key === "string" && /^[0-9a-f]{64}$/i.test(key)) return key.toLowerCase();
  throw invalidKey("Invalid master key: expected 64 hexadecimal characters");
}

/**
 * Derives the 32-byte AES key of the file that starts with `salt`. The password is the string of the master key, all 64
 * characters of it, not the 32 bytes that it encodes. Throws `INVALID_KEY`.
 */
export async function deriveFileKey(masterKey: string, salt: Uint8Array): Promise<Uint8Array> {
  return pbkdf2(new TextEncoder().encode(assertMasterKey(masterKey)), salt, PBKDF2_ITERATIONS);
}
