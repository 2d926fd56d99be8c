/**
 * Derives 32 bytes by PBKDF2-HMAC-SHA-256 (RFC 8018): by WebCrypto, off the thread, if available; else by plain
 * JavaScript, in slices that keep the page responsive.
 */
export async function pbkdf2(password: Uint8Array, salt: Uint8Array, iterations: number): Promise<Uint8Array> {
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) return deriveByJavaScript(password, salt, iterations);
  // Copies, as WebCrypto refuses memory that is shared between threads.
  const key = await subtle.importKey("raw", new Uint8Array(password), "PBKDF2", false, ["deriveBits"]);
  const settings = { name: "PBKDF2", hash: "SHA-256", salt: new Uint8Array(salt), iterations };
  return new Uint8Array(await subtle.deriveBits(settings, key, 256));
}

/** Returns how many key derivations to run at once: one per core. */
export function derivationsAtOnce(): number {
  return globalThis.navigator?.hardwareConcurrency ?? 4;
}

async function deriveByJavaScript(password: Uint8Array, salt: Uint8Array, iterations: number): Promise<Uint8Array> {
  const [{ pbkdf2Async }, { sha256 }] = await Promise.all([
    import("@noble/hashes/pbkdf2.js"),
    import("@noble/hashes/sha2.js"),
  ]);
  return pbkdf2Async(sha256, password, salt, { c: iterations, dkLen: 32 });
}
