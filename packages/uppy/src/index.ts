export type { CompletedFile } from "./complete-sent.ts";
export { KeeplightUploader, type KeeplightUploaderBody } from "./keeplight-uploader.ts";
export type { KeeplightUploaderOptions, TransferOptions, UploadHeaders } from "./options.ts";
