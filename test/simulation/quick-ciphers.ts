import { createCipheriv, createDecipheriv } from "node:crypto";

const TAG_BYTES = 16;

type Params = AesGcmParams & { iv: Uint8Array; additionalData: Uint8Array };
type Key = CryptoKey & { raw: Uint8Array };

/** AES-256-GCM of WebCrypto, as far as a journal uses it, on this thread. */
export const quickCiphers = {
  async importKey(_format: "raw", raw: Uint8Array): Promise<Key> {
    return { type: "secret", extractable: false, algorithm: { name: "AES-GCM" }, usages: [], raw };
  },
  async encrypt({ iv, additionalData }: Params, { raw }: Key, plain: Uint8Array): Promise<ArrayBuffer> {
    const cipher = createCipheriv("aes-256-gcm", raw, iv).setAAD(additionalData);
    return new Uint8Array(Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])).buffer;
  },
  async decrypt({ iv, additionalData }: Params, { raw }: Key, sealed: Uint8Array): Promise<ArrayBuffer> {
    const decipher = createDecipheriv("aes-256-gcm", raw, iv).setAAD(additionalData);
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    return new Uint8Array(Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()])).buffer;
  },
};
