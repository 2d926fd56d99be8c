import { IV_BYTES, TAG_BYTES } from "../../aes-gcm/gcm.ts";

/** How much longer a sealed block is. */
export const SEAL_BYTES = TAG_BYTES;

/** Encrypts blocks for as long as this object is there: nobody else has the key, and nothing can write it down. */
export interface Seal {
  /** The block under this number, encrypted; it has been read when this returns. */
  close(block: Uint8Array<ArrayBuffer>, number: number): Promise<Uint8Array<ArrayBuffer>>;
  /** The block again; rejects unless it is the one that was closed under this number. */
  open(sealed: Uint8Array<ArrayBuffer>, number: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** Gives `undefined` where there is no WebCrypto: insecure origins, which have no file system either. */
export async function newSeal(): Promise<Seal | undefined> {
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) return undefined;
  const key = await subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
  return {
    close: async (block, number) => new Uint8Array(await subtle.encrypt(settings(number), key, block)),
    open: async (sealed, number) => new Uint8Array(await subtle.decrypt(settings(number), key, sealed)),
  };
}

/** The key is for one file, so the number of a block is an initialisation vector that never comes twice. */
function settings(number: number): AesGcmParams {
  const iv = new Uint8Array(IV_BYTES);
  new DataView(iv.buffer).setUint32(0, number);
  return { name: "AES-GCM", iv };
}
