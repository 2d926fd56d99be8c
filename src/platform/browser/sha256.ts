/** Computes SHA-256 (FIPS 180-4) by WebCrypto, off the thread, if available; else by plain JavaScript. */
export async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) return (await import("@noble/hashes/sha2.js")).sha256(bytes);
  // WebCrypto refuses memory that is shared between threads.
  const own = bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
  return new Uint8Array(await subtle.digest("SHA-256", own));
}
