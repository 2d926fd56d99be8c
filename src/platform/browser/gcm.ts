import type { Gcm } from "../../aes-gcm/gcm.ts";
import { webCryptoGcm } from "../../aes-gcm/webcrypto.ts";

/** WebCrypto where it is; plain JavaScript on insecure origins, where browsers hide it, and in React Native. */
async function available(): Promise<Gcm> {
  if (globalThis.crypto?.subtle) return webCryptoGcm;
  const { nobleGcm } = await import("../../aes-gcm/noble.ts");
  return nobleGcm;
}

/** Piecewise AES-256-GCM by the best means found when it is called. */
export const gcm: Gcm = {
  encryptor: async (options) => (await available()).encryptor(options),
  decryptor: async (options) => (await available()).decryptor(options),
};
