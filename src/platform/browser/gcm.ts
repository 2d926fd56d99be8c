import type { Gcm } from "../aes-gcm/gcm.ts";
import { createStreamingGcm } from "../aes-gcm/streaming.ts";
import { openGcmParts } from "../aes-gcm/webcrypto.ts";

/** The fastest streaming AES-256-GCM of this runtime. */
export const gcm: Gcm = createStreamingGcm(openGcmParts);
