import { invalidIv, invalidKey } from "../errors/crypto.ts";

/** Bytes of the authentication tag that ends a message. */
export const TAG_BYTES = 16;

/** Bytes of the initialisation vector. */
export const IV_BYTES = 12;

/** Bytes of an AES-256 key. */
const KEY_BYTES = 32;

/** What one AES-256-GCM message is set up with. */
export interface GcmOptions {
  /** 32 bytes. */
  key: Uint8Array;
  /** 12 bytes, never used twice with one key. */
  iv: Uint8Array;
  /** Authenticated but not encrypted; none by default. */
  additionalData?: Uint8Array;
}

/**
 * Encrypts one message piece by piece in constant memory. Pieces may have any length; the output of
 * one call may lag behind its input, and nothing depends on where the pieces were cut.
 */
export interface GcmEncryptor {
  update(piece: Uint8Array): Promise<Uint8Array>;
  /** The ciphertext not yet given out, and the 16-byte tag over all of it. */
  finish(): Promise<{ rest: Uint8Array; tag: Uint8Array }>;
}

/**
 * Decrypts one message piece by piece in constant memory. What `update` gives is NOT to be trusted,
 * nor shown to anyone, before `finish` has accepted the tag.
 */
export interface GcmDecryptor {
  update(piece: Uint8Array): Promise<Uint8Array>;
  /** The plaintext not yet given out, when no more ciphertext comes. */
  flush(): Promise<Uint8Array>;
  /** The plaintext not yet given out, if it was not flushed; rejects with `CANNOT_DECRYPT` if the 16-byte tag does not hold. */
  finish(tag: Uint8Array): Promise<Uint8Array>;
}

/** One way of computing AES-256-GCM piecewise; all of them give the same bytes. */
export interface Gcm {
  encryptor(options: GcmOptions): Promise<GcmEncryptor>;
  decryptor(options: GcmOptions): Promise<GcmDecryptor>;
}

/**
 * Refuses a key that is not 32 bytes and an iv that is not 12: some implementations would silently
 * compute something else with them (AES-128, or another counter).
 *
 * @throws KeeplightError `INVALID_KEY` or `INVALID_OPTION`.
 */
export function assertGcmOptions({ key, iv }: GcmOptions): void {
  if (key.length !== KEY_BYTES) throw invalidKey(`key must have ${KEY_BYTES} bytes`);
  if (iv.length !== IV_BYTES) throw invalidIv(IV_BYTES);
}
