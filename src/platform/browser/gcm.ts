import type { Gcm } from "../aes-gcm/gcm.ts";
import { createStreamingGcm } from "../aes-gcm/streaming.ts";
import { openWebCryptoParts } from "../aes-gcm/webcrypto.ts";

/**
 * Streaming AES-256-GCM, for each message by WebCrypto if available; by plain JavaScript on insecure origins, where
 * browsers hide it, and in React Native.
 */
export const gcm: Gcm = createStreamingGcm(async (options) => {
  if (globalThis.crypto?.subtle) return openWebCryptoParts(options);
  const { openNobleParts } = await import("../aes-gcm/noble.ts");
  return openNobleParts(options);
});
