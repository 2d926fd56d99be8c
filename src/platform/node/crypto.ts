import { createCipheriv, createDecipheriv, createHash, pbkdf2 as derive } from "node:crypto";
import { availableParallelism } from "node:os";
import { env } from "node:process";
import { promisify } from "node:util";
import { cannotDecrypt } from "../../base/errors/input.ts";
import { assertGcmOptions, type Gcm, TAG_BYTES } from "../aes-gcm/gcm.ts";
import type { LeafHasher } from "../types.ts";

export function sha256(...parts: Uint8Array[]): Uint8Array {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

const deriveAsync = promisify(derive);

/** Runs on a thread of the runtime's pool. */
export function pbkdf2(password: Uint8Array, salt: Uint8Array, iterations: number): Promise<Uint8Array> {
  return deriveAsync(password, salt, iterations, 32, "sha256");
}

/** One per core and one more, so that no core is idle; but not more than the runtime's pool has threads (4 by default). */
export function derivationsAtOnce(): number {
  return Math.min(availableParallelism() + 1, Number(env["UV_THREADPOOL_SIZE"]) || 4);
}

/** Collects nothing, whatever the size of a leaf. */
export function leafHasher(_maxBytes: number): LeafHasher {
  let hash = createHash("sha256");
  return {
    add: (piece) => void hash.update(piece),
    end(last) {
      const digest = hash.update(last).digest();
      hash = createHash("sha256");
      return digest;
    },
  };
}

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
