import { IV_BYTES, TAG_BYTES } from "../aes-gcm/gcm.ts";

/** How many bytes sealing adds to a block. */
export const SEAL_BYTES = TAG_BYTES;

/** Encrypts blocks by a key that exists only in this object and cannot be exported. */
export interface Seal {
  /** Encrypts a block under this number; the block is no longer needed when this returns. */
  close(block: Uint8Array<ArrayBuffer>, number: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Decrypts a block; rejects unless it was closed under this number. */
  open(sealed: Uint8Array<ArrayBuffer>, number: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** Returns `undefined` without WebCrypto: on insecure origins, which have no file system either. */
export async function createSeal(): Promise<Seal | undefined> {
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) return undefined;
  const key = await subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
  return {
    close: async (block, number) => new Uint8Array(await subtle.encrypt(settings(number), key, block)),
    open: async (sealed, number) => new Uint8Array(await subtle.decrypt(settings(number), key, sealed)),
  };
}

/** The key is for one file, so the number of a block is a unique initialisation vector. */
function settings(number: number): AesGcmParams {
  const iv = new Uint8Array(IV_BYTES);
  new DataView(iv.buffer).setUint32(0, number);
  return { name: "AES-GCM", iv };
}
