export * from "./access-conditions/index.ts";
export * from "./account/index.ts";
export { defaultEndpoints, type EndpointOptions, type Endpoints } from "./config/endpoints.ts";
export type {
  NetworkName,
  PaymentNetwork,
  PaymentToken,
  StableToken,
  TokenContract,
} from "./config/networks.ts";
export { type BytesOptions, decryptBytes, encryptBytes } from "./crypto/bytes.ts";
export { commitToKey } from "./crypto/commit-to-key.ts";
export {
  type AnyKeeplightError,
  isKeeplightError,
  KeeplightError,
  type KeeplightErrorOptions,
} from "./errors/base.ts";
export type { DetailsOf, ErrorCode, ErrorDetails } from "./errors/codes.ts";
export type { ConditionProblem, NodeFailure, RequestFacts, TransactionFacts } from "./errors/facts.ts";
export { isUnfinished, UnfinishedError } from "./errors/unfinished.ts";
export type { DiscoveredWallet } from "./ethereum/eip-6963.ts";
export * from "./files/index.ts";
export * from "./folders/index.ts";
export * from "./ipns/index.ts";
export type { JournalSlot } from "./journal/change-slots.ts";
export type { JournalLike, JournalOptions } from "./journal/handle.ts";
export type { SlotKind } from "./journal/slots/slot.ts";
export type { CodeProvider, JournalUnlock, NewJournalSlot, TypedDataSigner } from "./journal/slots/slot-options.ts";
export * from "./kavach/index.ts";
export { createKit, type Kit, type KitDefaults, type KitOptions } from "./kit.ts";
export type { BearerOptions, CallOptions } from "./options.ts";
export * from "./payment/index.ts";
export type { SavedFile } from "./platform/saved-file.ts";
export * from "./proof/index.ts";
export * from "./recovery/index.ts";
export type { RecoveryEntry } from "./recovery-file/entry.ts";
export type { RecoveryOptions, StoreRecovery } from "./recovery-file/recorder-options.ts";
export * from "./resume/index.ts";
export * from "./transfer/download/index.ts";
export * from "./transfer/upload/index.ts";
export * from "./transfer/upload/index-encrypted.ts";
export type { Eip1193Provider, Eip1193ProviderLike, ViemClient } from "./validation/eip-1193.ts";
export type { SignInService, SigningOptions } from "./validation/sign-in-message.ts";
export type { Signer, SignerLike, ViemSigner } from "./validation/signer.ts";
