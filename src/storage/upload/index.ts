export type { CidVersion } from "../../formats/cid/content-id.ts";
export type { OnProgress, Progress, ProgressPhase } from "../progress.ts";
export type { ChunkStream, FileListLike, NamedStream, SingleSource, Source } from "./source.ts";
export { type UploadOptions, upload, uploadBuffer, uploadText } from "./upload.ts";
export type { UploadAccess, UploadEndpoint } from "./upload-access.ts";
export { type UploadCarOptions, uploadCar } from "./upload-car.ts";
export type { UploadedFile, UploadedFiles } from "./upload-response.ts";
