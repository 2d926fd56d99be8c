import { createHash } from "node:crypto";

/** Computes SHA-256 (FIPS 180-4) of all parts in order, by OpenSSL. */
export function sha256(...parts: Uint8Array[]): Uint8Array {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}
