export { deriveOnce } from "../transfer/upload/derive-once.ts";
export { recordSome } from "../transfer/upload/record-some.ts";
export { uploadFolder } from "../transfer/upload/upload-folder.ts";
export { createManifest, uploadManifest } from "../transfer/upload/upload-manifest.ts";
export { changeAccess } from "./change-access.ts";
export { readFolder } from "./read-folder.ts";
