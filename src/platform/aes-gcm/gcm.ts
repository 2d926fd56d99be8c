import { KeeplightError } from "../../base/errors/base.ts";
import { invalidKey } from "../../base/errors/input.ts";

/** Bytes of the authentication tag that ends a message. */
export const TAG_BYTES = 16;

/** Bytes of the initialisation vector. */
export const IV_BYTES = 12;

/** Bytes of an AES-256 key. */
const KEY_BYTES = 32;

/** Parameters of one AES-256-GCM message; the arrays must not be written to before it is finished. */
export interface GcmOptions {
  /** 32 bytes. */
  key: Uint8Array;
  /** 12 bytes, never used twice with one key. */
  iv: Uint8Array;
}

/**
 * Encrypts one message chunk by chunk in constant memory. Chunks may have any length and do not affect the ciphertext;
 * the output of a call may lag behind its input. Each call has to be awaited before the next one.
 */
export interface GcmEncryptor {
  update(chunk: Uint8Array): Promise<Uint8Array>;
  /** Returns the remaining ciphertext and the 16-byte tag over all of it. */
  finish(): Promise<{ rest: Uint8Array; tag: Uint8Array }>;
}

/**
 * Decrypts one message chunk by chunk in constant memory. What `update` returns must NOT be trusted, nor shown to
 * anyone, before `finish` has accepted the tag.
 */
export interface GcmDecryptor {
  update(chunk: Uint8Array): Promise<Uint8Array>;
  /** Returns the remaining plaintext once all ciphertext was passed in. */
  flush(): Promise<Uint8Array>;
  /** Returns the remaining plaintext unless flushed; rejects with `CANNOT_DECRYPT` if the 16-byte tag does not match. */
  finish(tag: Uint8Array): Promise<Uint8Array>;
}

/** A streaming implementation of AES-256-GCM; all of them produce the same bytes. */
export interface Gcm {
  encryptor(options: GcmOptions): Promise<GcmEncryptor>;
  decryptor(options: GcmOptions): Promise<GcmDecryptor>;
}

/**
 * Throws `INVALID_KEY` for a key that is not 32 bytes, and `INVALID_OPTION` for an iv that is not 12: some
 * implementations would silently compute something else with them (AES-128, or another counter).
 */
export function assertGcmOptions({ key, iv }: GcmOptions): void {
  if (key.length !== KEY_BYTES) throw invalidKey(`key must have ${KEY_BYTES} bytes`);
  if (iv.length !== IV_BYTES) throw new KeeplightError("INVALID_OPTION", `iv must have ${IV_BYTES} bytes`);
}

/** Bytes of an AES block. */
export const BLOCK_BYTES = 16;

/** The counter that the first block of text is encrypted with; 1 is reserved for the tag. */
export const FIRST_TEXT_COUNTER = 2;

/** The block that AES-CTR starts from (NIST SP 800-38D, 7.1): the iv and a 32-bit counter. */
export function encodeCounterBlock(iv: Uint8Array, counter: number): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK_BYTES);
  block.set(iv);
  new DataView(block.buffer).setUint32(iv.length, counter);
  return block;
}

/** The last block of GHASH: both lengths, passed in bytes, as 64-bit counts of bits. */
export function encodeLengthBlock(additionalBytes: number, textBytes: number): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK_BYTES);
  const view = new DataView(block.buffer);
  [additionalBytes, textBytes].forEach((bytes, index) => {
    // Bits are bytes × 8, so the upper 32 bits start at 2^29 bytes.
    view.setUint32(8 * index, Math.floor(bytes / 2 ** 29));
    view.setUint32(8 * index + 4, (bytes % 2 ** 29) * 8);
  });
  return block;
}
