export * from "./calls.ts";
// The calls as one object too. A page's bundler keeps only those of its calls that are used.
export * as default from "./calls.ts";
export type {
  Headers,
  IFileUploadedResponse,
  IUploadProgressCallback,
  UploadFileReturnType,
  UploadFilesOptions,
  UploadOptions,
} from "./types.ts";
