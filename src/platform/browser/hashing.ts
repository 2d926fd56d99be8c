import { joinBytes } from "../../base/streams/bytes.ts";
import { collectLeaf } from "../collect-leaf.ts";
import type { LeafHasher } from "../types.ts";

/**
 * SHA-256 (FIPS 180-4) of all parts in order, 32 bytes: synchronous in Node; in a page by WebCrypto if available, else by
 * plain JavaScript. The parts may be reused once it resolves.
 */
export const sha256: (...parts: Uint8Array[]) => Uint8Array | Promise<Uint8Array> = hash;

async function hash(...parts: Uint8Array[]): Promise<Uint8Array> {
  // A single part is not copied.
  const bytes = joinBytes(parts.filter(({ length }) => length > 0));
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) return (await import("@noble/hashes/sha2.js")).sha256(bytes);
  // WebCrypto refuses memory that is shared between threads.
  const own = bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
  return new Uint8Array(await subtle.digest("SHA-256", own));
}

/**
 * PBKDF2-HMAC-SHA-256 (RFC 8018), 32 bytes: by WebCrypto if available, of which Chromium runs one at a time, in Workers as
 * well; else by plain JavaScript, in slices that keep the page responsive.
 */
export async function pbkdf2(password: Uint8Array, salt: Uint8Array, iterations: number): Promise<Uint8Array> {
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) {
    const [noble, { sha256 }] = await Promise.all([import("@noble/hashes/pbkdf2.js"), import("@noble/hashes/sha2.js")]);
    return noble.pbkdf2Async(sha256, password, salt, { c: iterations, dkLen: 32 });
  }
  // Copies, as WebCrypto refuses memory that is shared between threads.
  const key = await subtle.importKey("raw", new Uint8Array(password), "PBKDF2", false, ["deriveBits"]);
  const settings = { name: "PBKDF2", hash: "SHA-256", salt: new Uint8Array(salt), iterations };
  return new Uint8Array(await subtle.deriveBits(settings, key, 256));
}

/** How many key derivations are worth running at once: one per core. */
export function derivationsAtOnce(): number {
  return globalThis.navigator?.hardwareConcurrency ?? 4;
}

/** WebCrypto hashes only what is in memory as a whole. */
export const leafHasher = (maxBytes: number): LeafHasher => collectLeaf(maxBytes, (leaf) => hash(leaf));
