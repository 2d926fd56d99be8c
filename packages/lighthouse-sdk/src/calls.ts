export { createWallet, getApiKey, getBalance } from "./account.ts";
export { decryptFile } from "./decrypt.ts";
export { dealStatus, deleteFile, getFileInfo, getUploads, posdi } from "./files.ts";
export { generateKey, getAllKeys, publishRecord, removeKey } from "./names.ts";
export { fund, getPrice, oneTimeAuth } from "./payment.ts";
export { getQuote } from "./quote.ts";
export {
  applyAccessCondition,
  fetchEncryptionKey,
  getAccessConditions,
  getAuthMessage,
  revokeFileAccess,
  shareFile,
} from "./sharing.ts";
export { upload, uploadBuffer, uploadCAR, uploadText } from "./upload.ts";
export { textUploadEncrypted, uploadEncrypted } from "./upload-encrypted.ts";
export { deleteFileWalrus, walrusBlobs } from "./walrus.ts";
