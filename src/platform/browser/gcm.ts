import type { Gcm } from "../../aes-gcm/gcm.ts";
import { webCryptoGcm } from "../../aes-gcm/webcrypto.ts";

/** WebCrypto if available; plain JavaScript on insecure origins, where browsers hide it, and in React Native. */
async function loadGcm(): Promise<Gcm> {
  if (globalThis.crypto?.subtle) return webCryptoGcm;
  const { nobleGcm } = await import("../../aes-gcm/noble.ts");
  return nobleGcm;
}

/** Streaming AES-256-GCM by the best implementation that is available at each call. */
export const gcm: Gcm = {
  encryptor: async (options) => (await loadGcm()).encryptor(options),
  decryptor: async (options) => (await loadGcm()).decryptor(options),
};
