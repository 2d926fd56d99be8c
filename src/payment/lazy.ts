// What payments load later, in one module: bundlers split what several such modules share from what a page loads at once.
export { computeEstimate } from "./compute-estimate.ts";
export { makeOrder, planPayment } from "./payment-order.ts";
export { checkPayment } from "./receipts/check-payment.ts";
export { searchPayments } from "./receipts/search-payments.ts";
export { continuePayments, startPayment } from "./run/payment-runner.ts";
