export type { OnProgress, Progress, ProgressPhase } from "../progress.ts";
export type {
  ResumeUploadOptions,
  UnfinishedUpload,
  UploadEncryptedOptions,
} from "./encrypted-upload-options.ts";
export type { EncryptedFolder, UnfinishedFolder } from "./finish-folder.ts";
export type { CidVersion } from "./send.ts";
export type { ChunkStream, FileListLike, NamedStream, SingleSource, Source } from "./source.ts";
export { type UploadOptions, upload, uploadBuffer, uploadText } from "./upload.ts";
export type { UploadAccess, UploadEndpoint } from "./upload-access.ts";
export { type UploadCarOptions, uploadCar } from "./upload-car.ts";
export { uploadEncrypted, uploadTextEncrypted } from "./upload-encrypted.ts";
export type { UploadedFile, UploadedFiles } from "./upload-response.ts";
