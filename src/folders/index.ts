export type { FolderFile, FolderManifest } from "../folder-file/manifest.ts";
export { type FolderName, parseFolderName } from "../folder-file/stored-names.ts";
export type { FolderChangeOptions } from "./change-folder.ts";
export { type ReadEncryptedFolderOptions, readEncryptedFolder } from "./read-encrypted-folder.ts";
export type { OpenedFolder } from "./read-folder.ts";
export { type RevokeFolderOptions, revokeEncryptedFolder } from "./revoke-encrypted-folder.ts";
export { type ShareFolderOptions, shareEncryptedFolder } from "./share-encrypted-folder.ts";
export { uploadEncryptedFolder } from "./upload-encrypted-folder.ts";
