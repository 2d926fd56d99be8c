import { concatBytes } from "../../streams/bytes.ts";

/** Computes SHA-256 (FIPS 180-4) of all parts in order by WebCrypto, off the thread, if available; else by JavaScript. */
export async function sha256(...parts: Uint8Array[]): Promise<Uint8Array> {
  const [only] = parts;
  const bytes = only && parts.length === 1 ? only : concatBytes(parts);
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) return (await import("@noble/hashes/sha2.js")).sha256(bytes);
  // WebCrypto refuses memory that is shared between threads.
  const own = bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
  return new Uint8Array(await subtle.digest("SHA-256", own));
}
