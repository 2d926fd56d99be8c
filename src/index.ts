export { defaultEndpoints, type EndpointOptions, type Endpoints } from "./base/config/endpoints.ts";
export type {
  NetworkName,
  PaymentNetwork,
  PaymentToken,
  StableToken,
  TokenContract,
} from "./base/config/networks.ts";
export {
  type AnyKeeplightError,
  isKeeplightError,
  KeeplightError,
  type KeeplightErrorOptions,
} from "./base/errors/base.ts";
export type { DetailsOf, ErrorCode, ErrorDetails } from "./base/errors/codes.ts";
export type { ConditionProblem, NodeFailure, RequestFacts, TransactionFacts } from "./base/errors/facts.ts";
export { isUnfinished, UnfinishedError } from "./base/errors/unfinished.ts";
export type { BearerOptions, CallOptions } from "./base/options.ts";
export type { Eip1193Provider, Eip1193ProviderLike, ViemClient } from "./base/validation/eip-1193.ts";
export type { SignInService, SigningOptions } from "./base/validation/sign-in-message.ts";
export type { Signer, SignerLike, ViemSigner } from "./base/validation/signer.ts";
export { type BytesOptions, decryptBytes, encryptBytes } from "./formats/crypto/bytes.ts";
export { commitToKey } from "./formats/crypto/commit-to-key.ts";
export type { RecoveryEntry } from "./formats/recovery-file/entry.ts";
export type { RecoveryOptions, StoreRecovery } from "./formats/recovery-file/recorder-options.ts";
export type { JournalSlot } from "./journal/change-slots.ts";
export type { JournalLike, JournalOptions } from "./journal/handle.ts";
export type { SlotKind } from "./journal/slots/slot.ts";
export type { CodeProvider, JournalUnlock, NewJournalSlot, TypedDataSigner } from "./journal/slots/slot-options.ts";
export * from "./keys/conditions/index.ts";
export * from "./keys/index.ts";
export { createKit, type Kit, type KitDefaults, type KitOptions } from "./kit/kit.ts";
export type { DiscoveredWallet } from "./network/ethereum/eip-6963.ts";
export * from "./payment/index.ts";
export type { SavedFile } from "./platform/saved-file.ts";
export * from "./storage/account/index.ts";
export * from "./storage/download/index.ts";
export * from "./storage/files/index.ts";
export * from "./storage/folders/index.ts";
export * from "./storage/ipns/index.ts";
export * from "./storage/proof/index.ts";
export * from "./storage/recovery/index.ts";
export * from "./storage/resume/index.ts";
export * from "./storage/upload/index.ts";
export * from "./storage/upload/index-encrypted.ts";
