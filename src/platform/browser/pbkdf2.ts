/**
 * PBKDF2-HMAC-SHA-256 (RFC 8018); 32 bytes. By WebCrypto, off the thread, where it is; else in plain
 * JavaScript, in slices that leave the page responsive.
 */
export async function pbkdf2(password: Uint8Array, salt: Uint8Array, iterations: number): Promise<Uint8Array> {
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) return derivePlainly(password, salt, iterations);
  // Copies, as WebCrypto refuses memory that is shared between threads.
  const key = await subtle.importKey("raw", new Uint8Array(password), "PBKDF2", false, ["deriveBits"]);
  const settings = { name: "PBKDF2", hash: "SHA-256", salt: new Uint8Array(salt), iterations };
  return new Uint8Array(await subtle.deriveBits(settings, key, 256));
}

/** How many key derivations are worth running at once: one a core. */
export function derivationsAtOnce(): number {
  return globalThis.navigator?.hardwareConcurrency ?? 4;
}

async function derivePlainly(password: Uint8Array, salt: Uint8Array, iterations: number): Promise<Uint8Array> {
  const [{ pbkdf2Async }, { sha256 }] = await Promise.all([
    import("@noble/hashes/pbkdf2.js"),
    import("@noble/hashes/sha2.js"),
  ]);
  return pbkdf2Async(sha256, password, salt, { c: iterations, dkLen: 32 });
}
