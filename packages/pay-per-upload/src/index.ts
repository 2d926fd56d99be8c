export {
  type PayerLike,
  type PayPerUploadOptions,
  type UploadNetwork,
  uploadNetworks,
  type ViemTypedDataSigner,
} from "./options.ts";
export { payPerUpload } from "./pay-per-upload.ts";
export { getUploadPrice, type UploadPrice } from "./price.ts";
export { type RenewUploadOptions, renewUpload } from "./renew.ts";
export { type VerifiedUploadReceipt, type VerifyUploadReceiptOptions, verifyUploadReceipt } from "./verify-receipt.ts";
