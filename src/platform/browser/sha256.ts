/** Computes SHA-256 (FIPS 180-4) of all parts in order by WebCrypto, off the thread, if available; else by JavaScript. */
export async function sha256(...parts: Uint8Array[]): Promise<Uint8Array> {
  const bytes = join(parts);
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) return (await import("@noble/hashes/sha2.js")).sha256(bytes);
  // WebCrypto refuses memory that is shared between threads.
  const own = bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
  return new Uint8Array(await subtle.digest("SHA-256", own));
}

/** Does not copy a single part. */
function join(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
