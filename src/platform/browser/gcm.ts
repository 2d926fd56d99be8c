import { createStreamingGcm } from "../aes-gcm/streaming.ts";
import { openGcmParts } from "../aes-gcm/webcrypto.ts";

export const gcm = createStreamingGcm(openGcmParts);
