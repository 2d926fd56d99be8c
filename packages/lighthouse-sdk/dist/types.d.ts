export type {
  Headers,
  IFileUploadedResponse,
  IUploadProgressCallback,
  UploadFileReturnType,
  UploadFilesOptions,
  UploadOptions,
} from "keeplight/compat/lighthouse";
