import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from "node:crypto";
import { type Gear, readGear } from "./chunker.ts";

/** What the keys of a repository are derived for: an `info` of HKDF each. */
type Purpose = "pack" | "snapshot" | "mark" | "chunk id" | "gear";

/** All keys of a repository, derived from its secret. */
export interface RepositoryKeys {
  /** How streams are cut: another table for each repository, so that sizes of chunks do not show what a file is. */
  gear: Gear;
  /** Returns the id of a chunk: HMAC-SHA-256 of its bytes, in base64url. */
  toId(chunk: Uint8Array): string;
  /** Derives the key of one stored file; nothing else is encrypted under it. */
  deriveKey(purpose: "pack" | "snapshot" | "mark", salt: Uint8Array): Uint8Array;
}

export const SECRET_BYTES = 32;
export const SALT_BYTES = 32;
export const TAG_BYTES = 16;

/** @param secret - 32 random bytes */
export function createKeys(secret: Uint8Array): RepositoryKeys {
  const derive = (purpose: Purpose, salt: Uint8Array, length: number) =>
    new Uint8Array(hkdfSync("sha256", secret, salt, `keeplight backup ${purpose}`, length));
  const none = new Uint8Array(0);
  const idKey = derive("chunk id", none, 32);
  return {
    gear: readGear(derive("gear", none, 256 * 8)),
    toId: (chunk) => createHmac("sha256", idKey).update(chunk).digest("base64url"),
    deriveKey: (purpose, salt) => derive(purpose, salt, 32),
  };
}

/** Number of the last thing that is encrypted under a key. */
export const LAST = 0xffffffff;

/** The nonce of AES-GCM: the number of what is encrypted under this key, which is never used for anything else. */
function toNonce(number: number): Uint8Array {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(number, 8);
  return nonce;
}

/** Encrypts bytes by AES-256-GCM; the tag is at the end. */
export function encrypt(
  key: Uint8Array,
  number: number,
  plain: Uint8Array,
  context: Uint8Array = new Uint8Array(0),
): Buffer {
  const cipher = createCipheriv("aes-256-gcm", key, toNonce(number)).setAAD(context);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts what {@link encrypt} returns; `undefined` if it was changed. */
export function decrypt(
  key: Uint8Array,
  number: number,
  sealed: Uint8Array,
  context: Uint8Array = new Uint8Array(0),
): Buffer | undefined {
  if (sealed.length < TAG_BYTES) return undefined;
  const end = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv("aes-256-gcm", key, toNonce(number), { authTagLength: TAG_BYTES });
  decipher.setAAD(context).setAuthTag(sealed.subarray(end));
  try {
    const plain = decipher.update(sealed.subarray(0, end));
    // In this mode it has no bytes: it compares the tag.
    decipher.final();
    return plain;
  } catch {
    return undefined;
  }
}
