export { createWallet, getApiKey, getBalance, getQuote } from "./account.ts";
export { decryptFile, textUploadEncrypted, uploadEncrypted } from "./encryption.ts";
export { dealStatus, deleteFile, deleteFileWalrus, getFileInfo, getUploads, posdi, walrusBlobs } from "./files.ts";
export { generateKey, getAllKeys, publishRecord, removeKey } from "./names.ts";
export { fund, getPrice, oneTimeAuth } from "./payment.ts";
export {
  applyAccessCondition,
  fetchEncryptionKey,
  getAccessConditions,
  getAuthMessage,
  revokeFileAccess,
  shareFile,
} from "./sharing.ts";
export { upload, uploadBuffer, uploadCAR, uploadText } from "./upload.ts";
