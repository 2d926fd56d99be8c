export { networks } from "../base/config/networks.ts";
export { type CreateOrderOptions, createOrder } from "./create-order.ts";
export { type EstimateOptions, estimatePayment } from "./estimate-payment.ts";
export type {
  AmountOptions,
  NetworkOptions,
  OrderOptions,
  PayerOptions,
  RateOptions,
  ResumePaymentOptions,
  RunningOptions,
  UnfinishedPayment,
} from "./options.ts";
export { type PayOptions, payWithToken, type ResumePaymentsOptions, resumePayments } from "./pay.ts";
export type { PaymentOrder } from "./payment-order.ts";
export type { Price } from "./price.ts";
export {
  type GetPriceOptions,
  getPrice,
  getQuote,
  type PriceOptions,
  type Quote,
  type QuotedFile,
  type QuoteOptions,
} from "./quote.ts";
export { type ListPaymentsOptions, listPayments } from "./receipts/list-payments.ts";
export type { PaymentReceipt } from "./receipts/receipt.ts";
export type { ResumeListOptions, UnfinishedPaymentList } from "./receipts/search-payments.ts";
export { type VerifyPaymentOptions, verifyPayment } from "./receipts/verify-payment.ts";
export { getTicker } from "./ticker.ts";
export type {
  EstimatedStep,
  FailedPayment,
  MissingFunds,
  Payment,
  PaymentAction,
  PaymentEstimate,
  PaymentProgress,
  PaymentStep,
  PaymentTransaction,
  ReceivedPayment,
  ResumedPayment,
} from "./types.ts";
