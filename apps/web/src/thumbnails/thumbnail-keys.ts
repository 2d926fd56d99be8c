const utf8 = (text: string) => new TextEncoder().encode(text);

/** The keys of a session's thumbnails. Nothing keeps them: they are derived again while the session lasts. */
export interface ThumbnailKeys {
  /** Returns what a thumbnail is kept under: nobody learns its content id from that. */
  nameOf(cid: string): Promise<string>;
  seal(plain: BufferSource, context: string): Promise<Sealed>;
  /** Throws if anything of it was changed, or is of another session. */
  unseal(sealed: Sealed, context: string): Promise<ArrayBuffer>;
}

/** What is stored of a thumbnail. */
export interface Sealed {
  iv: Uint8Array<ArrayBuffer>;
  data: ArrayBuffer;
}

const IV_BYTES = 12;

/**
 * Derives the keys by HKDF-SHA-256 (RFC 5869) from the session's API key, which this browser forgets when the session ends.
 *
 * @param place - name of the account's journal
 */
export async function deriveThumbnailKeys(apiKey: string, place: string): Promise<ThumbnailKeys> {
  const secret = await crypto.subtle.importKey("raw", utf8(apiKey), "HKDF", false, ["deriveKey"]);
  const derive = (purpose: string, type: AesKeyGenParams | HmacKeyGenParams, usages: KeyUsage[]) => {
    const params = { name: "HKDF", hash: "SHA-256", salt: utf8(place), info: utf8(`keeplight thumbnails ${purpose}`) };
    return crypto.subtle.deriveKey(params, secret, type, false, usages);
  };
  const [sealKey, nameKey] = await Promise.all([
    derive("seal", { name: "AES-GCM", length: 256 }, ["encrypt", "decrypt"]),
    derive("name", { name: "HMAC", hash: "SHA-256", length: 256 }, ["sign"]),
  ]);
  const toParams = (iv: Uint8Array<ArrayBuffer>, context: string) => {
    return { name: "AES-GCM", iv, additionalData: utf8(context) };
  };
  return {
    async nameOf(cid) {
      const tag = new Uint8Array(await crypto.subtle.sign("HMAC", nameKey, utf8(cid)));
      return Array.from(tag, (byte) => byte.toString(16).padStart(2, "0")).join("");
    },
    async seal(plain, context) {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      return { iv, data: await crypto.subtle.encrypt(toParams(iv, context), sealKey, plain) };
    },
    unseal: ({ iv, data }, context) => crypto.subtle.decrypt(toParams(iv, context), sealKey, data),
  };
}
