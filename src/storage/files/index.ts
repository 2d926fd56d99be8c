export { type Deal, getDealStatus } from "./deal-status.ts";
export { type DeletedFile, deleteFile } from "./delete.ts";
export { type FileInfo, getFileInfo } from "./info.ts";
export {
  type FilePage,
  type IterateFilesOptions,
  iterateFiles,
  type ListedFile,
  type ListFilesOptions,
  listFiles,
} from "./list.ts";
export { type PinnedCid, type PinOptions, pinCid } from "./pin.ts";
