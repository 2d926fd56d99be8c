// One module to load for what reads the chain and pays nothing.

export { computeEstimate } from "./estimate/compute-estimate.ts";
export { checkPayment } from "./receipts/check-payment.ts";
export { searchPayments } from "./receipts/search-payments.ts";
