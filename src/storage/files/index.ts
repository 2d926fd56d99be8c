export {
  type DeletedFile,
  type DeleteFileOptions,
  deleteFile,
  type FilePage,
  type IterateFilesOptions,
  iterateFiles,
  type ListedFile,
  type ListFilesOptions,
  listBlobs,
  listFiles,
  type PinnedCid,
  type PinOptions,
  pinCid,
} from "./account-files.ts";
export { type Deal, type FileInfo, getDealStatus, getFileInfo } from "./info.ts";
export { listPossessionProofs, type PossessionProof, requestPossessionProof } from "./possession.ts";
