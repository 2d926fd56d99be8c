export { blobSink } from "./blob-sink.ts";
export { fileSink, filesAt } from "./files.ts";
export { freshConnection } from "./fresh-connection.ts";
export { gcm } from "./gcm.ts";
export { openBody } from "./incoming-body.ts";
export { derivationsAtOnce, pbkdf2 } from "./pbkdf2.ts";
export { sha256 } from "./sha256.ts";
export { spool } from "./spool.ts";
export { preparesBody, uploadBody } from "./upload-body.ts";
