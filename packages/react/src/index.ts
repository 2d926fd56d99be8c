export type { Eip1193Provider } from "keeplight";
export type { ConnectableWallet, WalletChoice } from "./eip-1193.ts";
export { KitProvider, type KitProviderProps, useKit } from "./kit-provider.ts";
export type { LoadState } from "./load-store.ts";
export type { ResumedResult, ResumeOptions, ResumePayerOptions } from "./resume-operation.ts";
export type { ShownFile } from "./shown-file.ts";
export type { TaskState } from "./task-store.ts";
export type { OperationState, ResumeAllOptions, UnfinishedOperation } from "./unfinished-manager.ts";
export type { UploadEntry, UploadState } from "./upload-entry.ts";
export type { UploadTotal } from "./upload-total.ts";
export { useBalance } from "./use-balance.ts";
export type { Change } from "./use-change.ts";
export { type UseConditions, useConditions } from "./use-conditions.ts";
export { type DecryptedFile, type UseDecrypt, type UseDecryptOptions, useDecrypt } from "./use-decrypt.ts";
export { type UseDelete, useDelete } from "./use-delete.ts";
export { type UseDownload, type UseDownloadOptions, useDownload } from "./use-download.ts";
export { useFile } from "./use-file.ts";
export { type FilePages, type UseFiles, useFiles } from "./use-files.ts";
export { useJournal } from "./use-journal.ts";
export { type UseKeyHealth, useKeyHealth } from "./use-key-health.ts";
export type { Loaded } from "./use-load.ts";
export { type UseMediaUrl, type UseMediaUrlOptions, useMediaUrl } from "./use-media-url.ts";
export { type UseNames, useNames } from "./use-names.ts";
export { type PaymentSteps, type UsePayment, type UsePaymentOptions, usePayment } from "./use-payment.ts";
export { type CheckedProof, useProof } from "./use-proof.ts";
export { type UseQuote, useQuote } from "./use-quote.ts";
export { type UseShare, useShare } from "./use-share.ts";
export type { TaskControls } from "./use-task.ts";
export { type UseUnfinished, useUnfinished } from "./use-unfinished.ts";
export {
  type UseUploadEncryptedOptions,
  type UseUploadOptions,
  useUpload,
  useUploadEncrypted,
} from "./use-upload.ts";
export { useUploadEntry } from "./use-upload-entry.ts";
export type { ListOptions, Uploads } from "./use-uploads.ts";
export { type UseWallet, type UseWalletOptions, useWallet } from "./use-wallet.ts";
export type { WalletState } from "./wallet-store.ts";
