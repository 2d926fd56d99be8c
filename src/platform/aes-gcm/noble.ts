import { ghash } from "@noble/ciphers/_polyval.js";
import { ctr } from "@noble/ciphers/aes.js";
import { BLOCK_BYTES, encodeCounterBlock, encodeLengthBlock, type GcmOptions } from "./gcm.ts";
import type { GcmParts } from "./streaming.ts";

/** Hints GHASH at a long message: it builds its larger table, which pays from a few dozen KiB on. */
const EXPECTED_BYTES = 1024 * 1024;

/** The halves of GCM in plain JavaScript, for one message: where WebCrypto is absent (insecure origins, React Native). */
export async function openNobleParts({ key, iv }: GcmOptions): Promise<GcmParts> {
  const zeroBlock = new Uint8Array(BLOCK_BYTES);
  const hash = ghash.create(ctr(key, zeroBlock).encrypt(zeroBlock), EXPECTED_BYTES);
  return {
    // The counter block is 16 bytes whose last four count; a message never has so many blocks that they overflow.
    ctr: async (segment, counter) => ctr(key, encodeCounterBlock(iv, counter)).encrypt(segment),
    async hash(segment) {
      hash.update(segment);
    },
    async tag(textBytes) {
      hash.update(encodeLengthBlock(0, textBytes));
      return ctr(key, encodeCounterBlock(iv, 1)).encrypt(hash.digest());
    },
  };
}
