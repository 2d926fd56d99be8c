export { gcm } from "./gcm.ts";
export { derivationsAtOnce, leafHasher, pbkdf2, sha256 } from "./hashing.ts";
export { keepsResponses, sendRequest } from "./http-stack.ts";
export { absolutePath, fileSink, filesAt, journalStore, keyring, maxArrayBytes, partialFiles } from "./machine.ts";
export { blobSink, spool } from "./sinks.ts";
export { preparesBody, rawBody, relayBody, uploadBody } from "./upload-body.ts";
