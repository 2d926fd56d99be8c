import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { scryptAsync } from "@noble/hashes/scrypt.js";
import { concatBytes, randomBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { base64nopad } from "@scure/base";
import type { Identity, Recipient } from "age-encryption";

// age-encryption runs scrypt in one go, which freezes a page for a second and lets no abort through.

/**
 * Binary logarithms of the cost: age's own default, and the most that a file may require, a gigabyte of memory: anyone can
 * add files to a kit.
 */
const LOG_COST = 18;
const MAX_LOG_COST = 20;
const SALT_BYTES = 16;
const LABEL = utf8ToBytes("age-encryption.org/v1/scrypt");
/** Each key is used once. */
const NONCE = new Uint8Array(12);

/** Encrypts to a passphrase (age-encryption.org/v1, "The scrypt recipient type"). */
export function createScryptRecipient(passphrase: string, signal: AbortSignal | undefined): Recipient {
  return {
    async wrapFileKey(fileKey) {
      const salt = randomBytes(SALT_BYTES);
      const key = await deriveKey(passphrase, salt, LOG_COST, signal);
      const body = chacha20poly1305(key, NONCE).encrypt(fileKey);
      return [{ args: ["scrypt", base64nopad.encode(salt), String(LOG_COST)], body }];
    },
  };
}

/** Decrypts with a passphrase. */
export function createScryptIdentity(passphrase: string, signal: AbortSignal | undefined): Identity {
  return {
    async unwrapFileKey([stanza, ...others]) {
      const [type, salt = "", cost = ""] = stanza?.args ?? [];
      // A passphrase is the only recipient, or someone else could have written the file.
      if (!stanza || type !== "scrypt" || others.length > 0) return null;
      const logCost = /^[1-9]\d?$/.test(cost) ? Number(cost) : Number.POSITIVE_INFINITY;
      if (logCost > MAX_LOG_COST) throw new RangeError("the file costs too much to open");
      const key = await deriveKey(passphrase, base64nopad.decode(salt), logCost, signal);
      try {
        return chacha20poly1305(key, NONCE).decrypt(stanza.body);
      } catch {
        return null;
      }
    },
  };
}

async function deriveKey(
  passphrase: string,
  salt: Uint8Array,
  logCost: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const N = 2 ** logCost;
  return scryptAsync(passphrase, concatBytes(LABEL, salt), {
    N,
    r: 8,
    p: 1,
    dkLen: 32,
    maxmem: 128 * 8 * (N + 2),
    onProgress: () => signal?.throwIfAborted(),
  });
}
