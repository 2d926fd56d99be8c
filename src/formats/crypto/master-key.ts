import { pbkdf2 } from "#platform";
import { invalidKey } from "../../base/errors/crypto.ts";
import { PBKDF2_ITERATIONS } from "./file-format.ts";

/**
 * Returns a file's master key as the file format requires it: 64 lower-case hexadecimal characters. Accepts
 * upper-case ones and lowers them.
 *
 * @throws KeeplightError `INVALID_KEY` for anything else; the error does not contain the value.
 */
export function assertMasterKey(key: unknown): string {
  if (typeof key === "string" && /^[0-9a-f]{64}$/i.test(key)) return key.toLowerCase();
  throw invalidKey("Invalid master key: expected 64 hexadecimal characters");
}

/**
 * Derives the 32-byte AES key of the file that starts with `salt`. The password is the string of the master
 * key, all 64 characters of it, not the 32 bytes that it encodes.
 *
 * @throws KeeplightError `INVALID_KEY`.
 */
export async function deriveFileKey(masterKey: string, salt: Uint8Array): Promise<Uint8Array> {
  return pbkdf2(new TextEncoder().encode(assertMasterKey(masterKey)), salt, PBKDF2_ITERATIONS);
}
