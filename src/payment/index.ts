export type { Credit, WaitForCreditOptions } from "./credit/types.ts";
export { waitForCredit } from "./credit/wait-for-credit.ts";
export { estimatePayment } from "./estimate/estimate-payment.ts";
export type { EstimatedStep, EstimateOptions, MissingFunds, PaymentEstimate } from "./estimate/types.ts";
export { networks } from "./networks.ts";
export { payWithToken } from "./pay.ts";
export type { Price } from "./price.ts";
export type { NetworkOptions, PriceOptions, RateOptions } from "./price-options.ts";
export { getQuote, type Quote, type QuotedFile, type QuoteOptions } from "./quote.ts";
export { listPayments } from "./receipts/list-payments.ts";
export type {
  ListPaymentsOptions,
  PaymentReceipt,
  ResumeListOptions,
  UnfinishedPaymentList,
  VerifyPaymentOptions,
} from "./receipts/types.ts";
export { verifyPayment } from "./receipts/verify-payment.ts";
export { resumePayments } from "./resume-payments.ts";
export { type GetPriceOptions, getPrice } from "./storage-price.ts";
export { getTicker } from "./ticker.ts";
export type {
  AmountOptions,
  FailedPayment,
  FeeOptions,
  PayerOptions,
  Payment,
  PaymentAction,
  PaymentProgress,
  PaymentStep,
  PaymentTransaction,
  PayOptions,
  ReceivedPayment,
  ResumedPayment,
  ResumePaymentOptions,
  ResumePaymentsOptions,
  UnfinishedPayment,
  WaitOptions,
  WalletOptions,
} from "./types.ts";
export { type DiscoverWalletsOptions, discoverWallets } from "./wallet/discover-wallets.ts";
export type {
  PaymentSigner,
  TransactionFields,
  TransactionSigner,
  ViemAccount,
  ViemTransaction,
} from "./wallet/signer.ts";
