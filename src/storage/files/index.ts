export {
  type DeletedFile,
  deleteFile,
  type FilePage,
  type IterateFilesOptions,
  iterateFiles,
  type ListedFile,
  type ListFilesOptions,
  listFiles,
  type PinnedCid,
  type PinOptions,
  pinCid,
} from "./account-files.ts";
export { type Deal, type FileInfo, getDealStatus, getFileInfo } from "./info.ts";
