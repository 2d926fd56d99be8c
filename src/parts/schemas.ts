// Schemas of calls, to extend.

export { recoverFileKeySchema } from "../keys/file-keys/recover-file-key.ts";
export { ownerCallSchema } from "../keys/nodes/owner-call.ts";
export { payWithTokenOperation } from "../payment/pay.ts";
export { getPriceOperation } from "../payment/storage-price.ts";
export { uploadEncryptedSchema } from "../storage/upload/upload-encrypted.ts";
