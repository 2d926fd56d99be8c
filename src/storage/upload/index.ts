export type { CidVersion } from "../../formats/cid/content-id.ts";
export type { OnProgress, Progress, ProgressPhase } from "../progress.ts";
export type { ChunkStream, FileListLike, NamedFile, NamedStream, SingleSource, Source } from "./source.ts";
export type { StorageClass, StorageOptions } from "./storage-class.ts";
export {
  type UploadCarOptions,
  type UploadOptions,
  upload,
  uploadBuffer,
  uploadCar,
  uploadText,
} from "./upload.ts";
export type { StoredPayment, UploadAccess, UploadEndpoint, UploadPayer } from "./upload-access.ts";
export type { UploadedFile, UploadedFiles, UploadReceipt } from "./upload-response.ts";
