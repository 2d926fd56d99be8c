export type { FolderFile, FolderManifest } from "../folder-file/manifest.ts";
export { type FolderName, parseFolderName } from "../folder-file/parse-folder-name.ts";
export type { FolderChangeOptions } from "./change-folder.ts";
export { readEncryptedFolder } from "./read-encrypted-folder.ts";
export type { OpenedFolder } from "./read-folder.ts";
export type { ReadEncryptedFolderOptions } from "./read-folder-options.ts";
export { type RevokeFolderOptions, revokeEncryptedFolder } from "./revoke-encrypted-folder.ts";
export { type ShareFolderOptions, shareEncryptedFolder } from "./share-encrypted-folder.ts";
export { uploadEncryptedFolder } from "./upload-encrypted-folder.ts";
