// Apart from what else there is of uploads: what is loaded later uses these modules, and with an index that has both esbuild
// would load them for a page that only calls `upload`.
export {
  type ResumeUploadOptions,
  type UnfinishedUpload,
  type UploadEncryptedOptions,
  uploadEncrypted,
  uploadTextEncrypted,
} from "./upload-encrypted.ts";
