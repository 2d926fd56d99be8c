import { ghash } from "@noble/ciphers/_polyval.js";
import { ctr } from "@noble/ciphers/aes.js";
import { BLOCK_BYTES, counterBlock, lengthBlock } from "./blocks.ts";
import type { Gcm, GcmOptions } from "./gcm.ts";
import { type GcmParts, streamingGcm } from "./streaming.ts";

/** A hint of much text ahead: GHASH makes its larger table, which pays from a few dozen KiB on. */
const MUCH_TEXT = 1024 * 1024;

/** The halves of GCM in plain JavaScript, for one message. */
export async function openNobleParts(options: GcmOptions): Promise<GcmParts> {
  const key = options.key.slice();
  const iv = options.iv.slice();
  const none = new Uint8Array(BLOCK_BYTES);
  const hash = ghash.create(ctr(key, none).encrypt(none), MUCH_TEXT);
  return {
    // The counter block is 16 bytes whose last four count; a message never has so many blocks that they overflow.
    ctr: async (chunk, counter) => ctr(key, counterBlock(iv, counter)).encrypt(chunk),
    async hash(chunk) {
      hash.update(chunk);
    },
    async tag(additionalBytes, textBytes) {
      hash.update(lengthBlock(additionalBytes, textBytes));
      return ctr(key, counterBlock(iv, 1)).encrypt(hash.digest());
    },
  };
}

/** Piecewise AES-256-GCM for where WebCrypto is absent: insecure origins, React Native. */
export const nobleGcm: Gcm = streamingGcm(openNobleParts);
