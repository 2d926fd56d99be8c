import { createHash } from "node:crypto";

/** Computes SHA-256 (FIPS 180-4) by OpenSSL. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return createHash("sha256").update(bytes).digest();
}
