export {
  type PayerLike,
  type PayPerUploadOptions,
  type UploadNetwork,
  uploadNetworks,
  type ViemTypedDataSigner,
} from "./options.ts";
export { getUploadPrice } from "./price.ts";
export { type VerifyUploadReceiptOptions, verifyUploadReceipt } from "./receipt.ts";
export { type RenewUploadOptions, renewUpload } from "./renew.ts";
export type { UploadPrice, UploadReceipt, VerifiedUploadReceipt } from "./types.ts";
