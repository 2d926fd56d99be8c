// Encrypted uploads, and folders that are verified: step by step, each of which another process may take.

export type { UploadState } from "../storage/upload/journal-entry.ts";
export { uploadEncryptedWithHeaders } from "../storage/upload/upload-encrypted.ts";
export { hashFolder, sendFolder } from "./send-folder.ts";
export { createUploadSteps, isStoredAs, uploadKeysFirst } from "./upload-steps.ts";
