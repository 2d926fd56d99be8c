import { createCipheriv, createDecipheriv } from "node:crypto";
import { cannotDecrypt } from "../../base/errors/input.ts";
import { assertGcmOptions, type Gcm, TAG_BYTES } from "../aes-gcm/gcm.ts";

const ALGORITHM = "aes-256-gcm";

/** Streaming AES-256-GCM by OpenSSL. A chunk may have at most 2^31 − 1 bytes. */
export const gcm: Gcm = {
  async encryptor(options) {
    assertGcmOptions(options);
    const cipher = createCipheriv(ALGORITHM, options.key, options.iv, { authTagLength: TAG_BYTES });
    return {
      update: async (chunk) => cipher.update(chunk),
      finish: async () => ({ rest: cipher.final(), tag: cipher.getAuthTag() }),
    };
  },

  async decryptor(options) {
    assertGcmOptions(options);
    const decipher = createDecipheriv(ALGORITHM, options.key, options.iv, { authTagLength: TAG_BYTES });
    return {
      update: async (chunk) => decipher.update(chunk),
      flush: async () => new Uint8Array(0),
      async finish(tag) {
        if (tag.length !== TAG_BYTES) throw cannotDecrypt();
        decipher.setAuthTag(tag);
        try {
          return decipher.final();
        } catch {
          throw cannotDecrypt();
        }
      },
    };
  },
};
