// Schemas of calls, to extend.

export { ownerCallSchema } from "../keys/auth/owner.ts";
export { recoverFileKeySchema } from "../keys/file-keys/recover-file-key.ts";
export { payWithTokenOperation } from "../payment/pay.ts";
export { getPriceOperation } from "../payment/quote.ts";
export { uploadEncryptedSchema } from "../storage/upload/upload-encrypted.ts";
