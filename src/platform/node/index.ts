export { resolve as absolutePath } from "node:path";
export { derivationsAtOnce, gcm, leafHasher, pbkdf2, sha256 } from "./crypto.ts";
export { filesAt } from "./files.ts";
export { keepsResponses, sendRequest } from "./http-stack.ts";
export { journalStore } from "./journal-folder.ts";
export { keyring } from "./keyring.ts";
export { partialFiles } from "./partial-file.ts";
export { blobSink, fileSink, maxArrayBytes, spool } from "./sinks.ts";
export { preparesBody, rawBody, uploadBody, uploadBody as relayBody } from "./upload-body.ts";
