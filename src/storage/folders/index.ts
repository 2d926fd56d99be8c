export type { FolderFile, FolderManifest } from "../../formats/folder-file/manifest.ts";
export { type FolderName, parseFolderName } from "../../formats/folder-file/parse-folder-name.ts";
export {
  type FolderChangeOptions,
  type ReadEncryptedFolderOptions,
  type RevokeFolderOptions,
  readEncryptedFolder,
  revokeEncryptedFolder,
  type ShareFolderOptions,
  shareEncryptedFolder,
} from "./access-folder.ts";
export type { EncryptedFolder, OpenedFolder, UnfinishedFolder } from "./finish-folder.ts";
export { type UploadFolderOptions, uploadEncryptedFolder } from "./upload-encrypted-folder.ts";
