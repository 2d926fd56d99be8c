export type {
  AccessCondition,
  ChainType,
  ChainTypeOption,
  ConditionList,
  ConditionOf,
  ConditionsByChainType,
  DecryptionType,
  DecryptionTypeOption,
} from "./access-conditions/chain-types.ts";
export type { CoreumCondition } from "./access-conditions/coreum.ts";
export type { EvmCondition } from "./access-conditions/evm.ts";
export { type ExplainOptions, explainConditions } from "./access-conditions/explain.ts";
export type { AnyCase, Comparator, Json } from "./access-conditions/fields.ts";
export type { RadixCondition } from "./access-conditions/radix.ts";
export { simulateConditions } from "./access-conditions/simulate.ts";
export type {
  SimulatedCondition,
  SimulatedValue,
  SimulateOptions,
  Simulation,
} from "./access-conditions/simulation.ts";
export type { SolanaCondition } from "./access-conditions/solana.ts";
export type { SolidityType } from "./access-conditions/solidity-types.ts";
export { type CreateApiKeyOptions, createApiKey, getAuthMessage } from "./account/api-key.ts";
export { createOneTimeToken, getOneTimeMessage, type OneTimeTokenOptions } from "./account/one-time-token.ts";
export { getBalance, type Usage } from "./account/usage.ts";
export { type CreatedWallet, type CreateWalletOptions, createWallet } from "./account/wallet.ts";
export { defaultEndpoints, type Endpoints } from "./config/endpoints.ts";
export type {
  NetworkName,
  PaymentNetwork,
  PaymentToken,
  StableToken,
  TokenContract,
} from "./config/networks.ts";
export { type BytesOptions, decryptBytes, encryptBytes } from "./crypto/bytes.ts";
export {
  type AnyKeeplightError,
  isKeeplightError,
  KeeplightError,
  type KeeplightErrorOptions,
} from "./errors/base.ts";
export type { DetailsOf, ErrorCode, ErrorDetails } from "./errors/codes.ts";
export type { ConditionProblem, NodeFailure, RequestFacts, TransactionFacts } from "./errors/facts.ts";
export { isUnfinished, UnfinishedError } from "./errors/unfinished.ts";
export type { Eip1193Provider } from "./ethereum/eip-1193.ts";
export type { DiscoveredWallet } from "./ethereum/eip-6963.ts";
export { type Deal, getDealStatus } from "./files/deal-status.ts";
export { type DeletedFile, deleteFile } from "./files/delete.ts";
export { type FileInfo, getFileInfo } from "./files/info.ts";
export {
  type FilePage,
  iterateFiles,
  type ListedFile,
  type ListFilesOptions,
  listFiles,
} from "./files/list.ts";
export {
  type IpnsKey,
  ipnsGenerateKey,
  ipnsRemoveKey,
  type RemovedIpnsKey,
  type RemovedIpnsKeys,
} from "./ipns/keys.ts";
export {
  type IpnsPublishOptions,
  type IpnsRecord,
  ipnsListRecords,
  ipnsPublishRecord,
  type PublishedRecord,
} from "./ipns/records.ts";
export type { JournalLike, JournalOptions } from "./journal/handle.ts";
export type { AccessRuleOptions } from "./kavach/access/access-request.ts";
export { type AccessConditions, kavachGetAccessConditions } from "./kavach/access/get-access-conditions.ts";
export { kavachRevoke, type RevokeOptions } from "./kavach/access/revoke.ts";
export { kavachSetAccessConditions, type SetAccessConditionsOptions } from "./kavach/access/set-access-conditions.ts";
export { kavachShare, type ShareOptions } from "./kavach/access/share.ts";
export { kavachTransferOwnership, type TransferOwnershipOptions } from "./kavach/access/transfer-ownership.ts";
export {
  type GetJwtOptions,
  type Jwt,
  kavachGetAuthMessage,
  kavachGetJwt,
  kavachRefreshJwt,
  type RefreshJwtOptions,
} from "./kavach/auth/auth-calls.ts";
export type { OwnerOptions } from "./kavach/auth/owner.ts";
export {
  type InspectOptions,
  type KeyHealth,
  kavachInspect,
  type NodeHealth,
  type NodeState,
} from "./kavach/keys/inspect.ts";
export type { AccessOptions } from "./kavach/keys/key-request.ts";
export type { KeyReport, RecoverFileKeyOptions } from "./kavach/keys/recover-file-key.ts";
export { kavachRecoverShards, type RecoveredShards, type RecoverShardsOptions } from "./kavach/keys/recover-shards.ts";
export { kavachRepair, type RepairOptions } from "./kavach/keys/repair.ts";
export type { KeyRepair, NodeRepair, UnfinishedRepair } from "./kavach/keys/save-repaired.ts";
export { kavachSaveShards, type SaveOnOptions, type SaveShardsOptions } from "./kavach/keys/save-shards.ts";
export type { FetchShardsOptions, RecoveredShard } from "./kavach/keys/shard-fetcher.ts";
export type { CallKind } from "./kavach/nodes/journaled-call.ts";
export type { KeyNodeOptions } from "./kavach/nodes/node-client.ts";
export type { KeyState, SharingInfo } from "./kavach/nodes/query-nodes.ts";
export type { CompletedNodes, OwnerCallOptions, OwnerChangeOptions } from "./kavach/nodes/run-on-all-nodes.ts";
export { kavachGenerate, kavachShardKey, type ShardOptions } from "./kavach/shards/generate.ts";
export { kavachRecoverKey, type RecoveredKey, type RecoverKeyOptions } from "./kavach/shards/recover.ts";
export type { FiveShards, KeyShard, ShardScheme } from "./kavach/shards/sharing.ts";
export { createKit, type Kit } from "./kit.ts";
export type { KitDefaults, KitOptions } from "./kit-binders.ts";
export type { BearerOptions, CallOptions } from "./options.ts";
export { networks } from "./payment/networks.ts";
export { payWithToken } from "./payment/pay.ts";
export type { Price } from "./payment/price.ts";
export type { NetworkOptions, PriceOptions, RateOptions } from "./payment/price-options.ts";
export { getQuote, type Quote, type QuotedFile, type QuoteOptions } from "./payment/quote.ts";
export { type GetPriceOptions, getPrice } from "./payment/storage-price.ts";
export { getTicker } from "./payment/ticker.ts";
export type {
  AmountOptions,
  FeeOptions,
  PayerOptions,
  Payment,
  PaymentProgress,
  PaymentStep,
  PaymentTransaction,
  PayOptions,
  ReceivedPayment,
  ResumePaymentOptions,
  UnfinishedPayment,
  WaitOptions,
} from "./payment/types.ts";
export { type DiscoverWalletsOptions, discoverWallets } from "./payment/wallet/discover-wallets.ts";
export type { PaymentSigner, TransactionFields, TransactionSigner } from "./payment/wallet/signer.ts";
export type { SavedFile } from "./platform/types.ts";
export { getProof, type Proof } from "./proof/get-proof.ts";
export type { InclusionProof, MerklePath, ProofResponse } from "./proof/read-proof.ts";
export type { VerifiedDeal, VerifiedInclusion, VerifiedProof } from "./proof/types.ts";
export { verifyProof } from "./proof/verify-proof.ts";
export { createRecoveryIdentity, type RecoveryIdentity } from "./recovery/identity.ts";
export type {
  KitFailure,
  KitOutput,
  KitTarget,
  MadeKit,
  OpenKitOptions,
  RecoveryKit,
  RecoveryKitOptions,
} from "./recovery/kit-options.ts";
export type { FileToRecover } from "./recovery/list-keys.ts";
export { type FilesToRecover, makeRecoveryKit } from "./recovery/make-kit.ts";
export { openRecoveryKit } from "./recovery/open-kit.ts";
export {
  makeRecoveryPages,
  type RecoveryPages,
  type RecoveryPagesOptions,
  restoreRecoveryIdentity,
} from "./recovery/pages.ts";
export { createShareLink, openShareLink, type SharedFile, type ShareLinkOptions } from "./recovery/share-link.ts";
export type { RecoveryEntry } from "./recovery-file/entry.ts";
export type { RecoveryOptions, StoreRecovery } from "./recovery-file/recorder-options.ts";
export {
  type FailedOperation,
  type Journal,
  type OpenJournalOptions,
  type OpenOperation,
  openJournal,
  type Resumed,
  type ResumedOperation,
} from "./resume/open-journal.ts";
export type { ResumeOperationOptions } from "./resume/resume-options.ts";
export { type DecryptOptions, decrypt } from "./transfer/download/decrypt.ts";
export { type DownloadOptions, download } from "./transfer/download/download.ts";
export type { AsBlob, AsBytes, AsStream, OutputOptions, ToPath } from "./transfer/download/output.ts";
export type { OnProgress, Progress, ProgressPhase } from "./transfer/progress.ts";
export type {
  ResumeUploadOptions,
  UnfinishedUpload,
  UploadEncryptedOptions,
} from "./transfer/upload/encrypted-upload-options.ts";
export type { CidVersion } from "./transfer/upload/send.ts";
export type { ChunkStream, FileListLike, NamedStream, SingleSource, Source } from "./transfer/upload/source.ts";
export { type UploadOptions, upload, uploadBuffer, uploadText } from "./transfer/upload/upload.ts";
export { type UploadCarOptions, uploadCar } from "./transfer/upload/upload-car.ts";
export { uploadEncrypted, uploadTextEncrypted } from "./transfer/upload/upload-encrypted.ts";
export type { UploadedFile, UploadedFiles } from "./transfer/upload/upload-response.ts";
export type { SigningOptions } from "./validation/sign-in-message.ts";
export type { Signer } from "./validation/signer.ts";
