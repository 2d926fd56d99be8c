import { pbkdf2 } from "#platform";
import { invalidKey } from "../errors/crypto.ts";
import { PBKDF2_ITERATIONS } from "./file-format.ts";

/**
 * A file's master key as the file format wants it: 64 lower-case hexadecimal characters. Upper-case
 * ones are accepted and lowered.
 *
 * @throws KeeplightError `INVALID_KEY` for anything else; the error does not hold the value.
 */
export function assertMasterKey(key: unknown): string {
  if (typeof key === "string" && /^[0-9a-f]{64}$/i.test(key)) return key.toLowerCase();
  throw invalidKey("Invalid master key: expected 64 hexadecimal characters");
}

/**
 * The 32-byte AES key of the file that begins with `salt`. The password is the text of the master
 * key, all 64 characters of it, not the 32 bytes it stands for.
 *
 * @throws KeeplightError `INVALID_KEY`.
 */
export async function deriveFileKey(masterKey: string, salt: Uint8Array): Promise<Uint8Array> {
  return pbkdf2(new TextEncoder().encode(assertMasterKey(masterKey)), salt, PBKDF2_ITERATIONS);
}
