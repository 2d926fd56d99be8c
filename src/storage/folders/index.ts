export type { FolderFile, FolderManifest } from "../../formats/folder-file/manifest.ts";
export { type FolderName, parseFolderName } from "../../formats/folder-file/parse-folder-name.ts";
export type { EncryptedFolder, UnfinishedFolder } from "./finish-folder.ts";
export { type ReadEncryptedFolderOptions, readEncryptedFolder } from "./read-encrypted-folder.ts";
export type { OpenedFolder } from "./read-folder.ts";
export { type RevokeFolderOptions, revokeEncryptedFolder } from "./revoke-encrypted-folder.ts";
export { type FolderChangeOptions, type ShareFolderOptions, shareEncryptedFolder } from "./share-encrypted-folder.ts";
export { type UploadFolderOptions, uploadEncryptedFolder } from "./upload-encrypted-folder.ts";
