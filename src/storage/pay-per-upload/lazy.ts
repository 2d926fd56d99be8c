// What paid uploads load later, in one module: bundlers split what several such modules share from what a page loads at once.
export { checkReceipt } from "./check-receipt.ts";
export { checkPaying } from "./options.ts";
export { startEncryptedOrder } from "./order.ts";
export { checkSize, findPaid, uploadPaid } from "./paid-upload.ts";
export { requestRenewalPrice, requestUploadPrice } from "./request-price.ts";
export { routeToPayment } from "./route.ts";
export { renew } from "./run-renewal.ts";
export { uploadPlain } from "./upload-plain.ts";
