export { deriveOnce } from "../transfer/upload/derive-once.ts";
export { recordOne } from "../transfer/upload/record-one.ts";
export { uploadFolder } from "../transfer/upload/upload-folder.ts";
export { createManifest, uploadManifest } from "../transfer/upload/upload-manifest.ts";
export { changeAccess } from "./change-access.ts";
export { readFolder } from "./read-folder.ts";
