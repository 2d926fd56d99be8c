// Files: list them, encrypt them, compute and compare their content ids.

export { checkCid } from "../formats/cid/check-cid.ts";
export { encryptedSize } from "../formats/crypto/file-format.ts";
export type { SourceFile } from "../platform/types.ts";
export { isKnown } from "../storage/files/is-known.ts";
export { toNodeName } from "../storage/upload/file-names.ts";
export { getMimeType } from "../storage/upload/mime-types.ts";
export { copySource, listSourceFiles } from "../storage/upload/source.ts";
export { createFileCipher, type FileCipher, measureDerivation } from "./file-cipher.ts";
export { normalizeCid } from "./normalize-cid.ts";
