// Files: list them, encrypt them, compute and compare their content ids.

export { checkCid } from "../formats/cid/content-id.ts";
export { encryptedSize } from "../formats/crypto/file-format.ts";
export type { SourceFile } from "../platform/types.ts";
export { isKnown } from "../storage/files/info.ts";
export { toNodeName } from "../storage/upload/file-names.ts";
export { getMimeType } from "../storage/upload/mime-types.ts";
export { copySource, listSourceFiles } from "../storage/upload/source.ts";
export { createFileCipher, type FileCipher, measureDerivation } from "./encrypted-files.ts";
export { normalizeCid } from "./send-folder.ts";
