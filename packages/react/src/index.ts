export type { Eip1193Provider } from "keeplight";
export { KitProvider, type KitProviderProps, useKit } from "./kit-provider.ts";
export type { ResumedResult, ResumeOptions, ResumePayerOptions } from "./open-operations.ts";
export type { OperationState, ResumeAllOptions, UnfinishedOperation } from "./unfinished-manager.ts";
export type { UploadEntry, UploadState } from "./upload-entry.ts";
export type { UploadTotal } from "./upload-total.ts";
export {
  type DecryptedFile,
  type ShownFile,
  type UseDecrypt,
  type UseDecryptOptions,
  type UseDownload,
  type UseDownloadOptions,
  useDecrypt,
  useDownload,
} from "./use-download.ts";
export { type UseUnfinished, useJournal, useUnfinished } from "./use-journal.ts";
export type { Loaded, LoadState } from "./use-load.ts";
export { type UseMediaUrl, type UseMediaUrlOptions, useMediaUrl } from "./use-media-url.ts";
export { type PaymentSteps, type UsePayment, type UsePaymentOptions, usePayment } from "./use-payment.ts";
export { type FilePages, useBalance, useFiles, useKitQueries } from "./use-queries.ts";
export type { TaskControls, TaskState } from "./use-task.ts";
export type { ListOptions, Uploads } from "./use-upload.ts";
export {
  type UseUploadEncryptedOptions,
  type UseUploadOptions,
  useUpload,
  useUploadEncrypted,
  useUploadEntry,
} from "./use-upload.ts";
export { type UseWallet, type UseWalletOptions, useWallet } from "./use-wallet.ts";
export type { ConnectableWallet, WalletChoice, WalletState } from "./wallet-store.ts";
