import { joinBytes } from "../../base/streams/bytes.ts";
import { type BlockHasher, HASH_BLOCK_BYTES } from "../types.ts";

/** Computes SHA-256 (FIPS 180-4) of all parts in order by WebCrypto, off the thread, if available; else by JavaScript. */
export async function sha256(...parts: Uint8Array[]): Promise<Uint8Array> {
  const bytes = joinBytes(parts);
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) return (await import("@noble/hashes/sha2.js")).sha256(bytes);
  // WebCrypto refuses memory that is shared between threads.
  const own = bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
  return new Uint8Array(await subtle.digest("SHA-256", own));
}

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

/** Hashes by WebCrypto, which runs off the thread; without it, by plain JavaScript on it. */
export function blockHasher(): BlockHasher {
  return {
    memory: () => new Uint8Array(HASH_BLOCK_BYTES),
    digest(memory, size, parts) {
      let at = 0;
      const framed = parts.map(({ size: length, head, foot }) => {
        const bytes = memory.subarray(at, at + length);
        at += length;
        if (head.length + foot.length === 0) return bytes;
        const block = new Uint8Array(head.length + length + foot.length);
        block.set(head);
        block.set(bytes, head.length);
        block.set(foot, head.length + length);
        return block;
      });
      return Promise.all([memory.subarray(0, size), ...framed].map((bytes) => sha256(bytes)));
    },
    close: () => undefined,
  };
}
